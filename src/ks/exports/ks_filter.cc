// Filter factories, and what a driver adds to an open filter. Pages: ks/nf-ks-kscreatefilterfactory,
// nf-ks-ksfiltercreatepinfactory, nf-ks-ksfiltercreatenode, nf-ks-ksfilteraddtopologyconnections.
#include <fmt/format.h>

#include "ks/device/device.h"
#include "ks/exports/kernel_entry.h"
#include "ks/object/descriptor_check.h"
#include "ks/object/filter.h"

using ks::Fn;
using ks::KernelEntry;

namespace {

void judge_mutex(const KernelEntry& call, ks::Object& object, const char* mutex) {
  if (object.control().held()) return;
  call.report_violation(nt::Violation::KsHierarchyWithoutMutex,
                        fmt::format("{} of {} without holding the {}", call.name(), object.name(), mutex));
}

ks::Filter* growing_filter(const KernelEntry& call, PKSFILTER body) {
  auto* filter = call.system().object_as<ks::Filter>(body, call.name());
  if (filter) judge_mutex(call, *filter, "filter control mutex");
  return filter;
}

}  // namespace

extern "C" {

NTSTATUS KsCreateFilterFactory(PDEVICE_OBJECT functional, const KSFILTER_DESCRIPTOR* descriptor, PWSTR reference,
                               PSECURITY_DESCRIPTOR, ULONG flags, PFNKSFILTERFACTORYPOWER sleep,
                               PFNKSFILTERFACTORYPOWER wake, PKSFILTERFACTORY* factory) {
  KernelEntry call{Fn::KsCreateFilterFactory};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  ks::Device* device = call.system().device_of(functional);
  if (!device) return call.refuse(base::Failure(STATUS_INVALID_PARAMETER, "no device of the class"));
  judge_mutex(call, *device, "device mutex");
  for (const ks::Complaint& complaint : ks::judge_filter(*descriptor))
    call.report_violation(complaint.what, complaint.sentence);
  ks::FilterFactory::Request request{descriptor, {}, flags, sleep, wake};
  for (const WCHAR* c = reference; c && *c; ++c) request.reference += static_cast<char16_t>(*c);
  auto made = device->add_factory(request);
  if (!made.ok()) return call.refuse(made.failure());
  if (factory) *factory = &**made.value();
  return STATUS_SUCCESS;
}

NTSTATUS KsDeleteFilterFactory(PKSFILTERFACTORY body) {
  KernelEntry call{Fn::KsDeleteFilterFactory};
  auto* factory = call.system().object_as<ks::FilterFactory>(body, call.name());
  if (!factory) return STATUS_INVALID_PARAMETER;
  judge_mutex(call, factory->device(), "device mutex");
  if (!factory->children().empty()) {
    return call.refuse(base::Failure(STATUS_DEVICE_BUSY, "filters of the factory are open"));
  }
  factory->device().remove_factory(*factory);
  return STATUS_SUCCESS;
}

PUNICODE_STRING KsFilterFactoryGetSymbolicLink(PKSFILTERFACTORY body) {
  KernelEntry call{Fn::KsFilterFactoryGetSymbolicLink};
  auto* factory = call.system().object_as<ks::FilterFactory>(body, call.name());
  return factory ? factory->symbolic_link() : nullptr;
}

NTSTATUS KsFilterFactorySetDeviceClassesState(PKSFILTERFACTORY body, BOOLEAN state) {
  KernelEntry call{Fn::KsFilterFactorySetDeviceClassesState};
  auto* factory = call.system().object_as<ks::FilterFactory>(body, call.name());
  if (!factory) return STATUS_INVALID_PARAMETER;
  factory->enable(state != FALSE);
  return STATUS_SUCCESS;
}

// The cache is the graph builder's; there is none here that could be stale.
NTSTATUS KsFilterFactoryUpdateCacheData(PKSFILTERFACTORY body, const KSFILTER_DESCRIPTOR*) {
  KernelEntry call{Fn::KsFilterFactoryUpdateCacheData};
  return call.system().object_as<ks::FilterFactory>(body, call.name()) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS KsFilterCreatePinFactory(PKSFILTER body, const KSPIN_DESCRIPTOR_EX* descriptor, PULONG pin_id) {
  KernelEntry call{Fn::KsFilterCreatePinFactory};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  ks::Filter* filter = growing_filter(call, body);
  if (!filter) return STATUS_INVALID_PARAMETER;
  for (const ks::Complaint& complaint : ks::judge_pin(*descriptor, filter->descriptor())) {
    call.report_violation(complaint.what, complaint.sentence);
  }
  auto made = filter->add_pin_factory(*descriptor);
  if (!made.ok()) return call.refuse(made.failure());
  *pin_id = made.take();
  return STATUS_SUCCESS;
}

NTSTATUS KsFilterCreateNode(PKSFILTER body, const KSNODE_DESCRIPTOR* descriptor, PULONG node_id) {
  KernelEntry call{Fn::KsFilterCreateNode};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  ks::Filter* filter = growing_filter(call, body);
  if (!filter) return STATUS_INVALID_PARAMETER;
  *node_id = filter->add_node(*descriptor);
  return STATUS_SUCCESS;
}

NTSTATUS KsFilterAddTopologyConnections(PKSFILTER body, ULONG count, const KSTOPOLOGY_CONNECTION* connections) {
  KernelEntry call{Fn::KsFilterAddTopologyConnections};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  ks::Filter* filter = growing_filter(call, body);
  if (!filter) return STATUS_INVALID_PARAMETER;
  filter->add_connections({connections, count});
  return STATUS_SUCCESS;
}

}  // extern "C"
