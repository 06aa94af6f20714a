#include "ks/object/filter.h"

#include "ks/device/device.h"
#include "ks/device/system.h"
#include "ks/exports/callback.h"
#include "ks/object/topology_node.h"
#include "ks/pin/pin.h"
#include "ks/property/automation.h"
#include "ks/property/event_list.h"
#include "ks/stream/processor.h"
#include "nt/boundary/refuse.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

const KSPIN_DESCRIPTOR_EX& pin_descriptor(const KSFILTER_DESCRIPTOR& filter, ULONG index) {
  const auto* first = reinterpret_cast<const uint8_t*>(filter.PinDescriptors);
  return *reinterpret_cast<const KSPIN_DESCRIPTOR_EX*>(first + size_t{index} * filter.PinDescriptorSize);
}

bool marked_pending(IRP& irp) { return IoGetCurrentIrpStackLocation(&irp)->Control & SL_PENDING_RETURNED; }

}  // namespace

Filter::Filter(FilterFactory& factory, FILE_OBJECT& file, std::string name)
    : Object(factory.system(), kType, &factory, factory.device().scope(), nt::ScopeKind::Filter, std::move(name)),
      factory_(factory),
      file_(&file),
      body_(make_body<KSFILTER>()),
      control_(factory.machine()) {
  body_->Descriptor = &factory.descriptor();
  body_->Bag = bag().handle();
  body_->Context = (*factory).Context;
  bag().guard_with(control_);
  const KSFILTER_DESCRIPTOR& descriptor = *body_->Descriptor;
  for (ULONG i = 0; i < descriptor.PinDescriptorsCount; ++i) {
    pin_factories_.push_back(std::make_unique<PinFactory>(PinFactory{&pin_descriptor(descriptor, i), i, {}}));
  }
  const auto* node = reinterpret_cast<const uint8_t*>(descriptor.NodeDescriptors);
  for (ULONG i = 0; i < descriptor.NodeDescriptorsCount; ++i, node += descriptor.NodeDescriptorSize) {
    nodes_.push_back(reinterpret_cast<const KSNODE_DESCRIPTOR*>(node));
  }
  add_connections({descriptor.Connections, descriptor.ConnectionsCount});
  automation_ = std::make_unique<Automation>(descriptor.AutomationTable, filter_automation());
  system().publish(*this);
}

Filter::~Filter() = default;

NTSTATUS Filter::open(IRP& irp) {
  if (irp.RequestorMode == UserMode && denies_user_mode()) {
    end();
    return nt::refuse(machine(), base::Failure(STATUS_ACCESS_DENIED, "the filter denies access from user mode"));
  }
  NTSTATUS status = STATUS_SUCCESS;
  {
    Holding holding(control_);
    if (processes()) processor_ = std::make_unique<Processor>(*this);
    if (dispatch() && dispatch()->Create) {
      status = call(machine(), Ddi::FilterCreate, &scope(), dispatch()->Create, body_, &irp);
    }
  }
  judge_pending(irp, status, "AVStrMiniFilterCreate");
  if (!NT_SUCCESS(status)) end();
  return status;
}

// A routine that let its IRP pend has marked it before.
void Filter::judge_pending(IRP& irp, NTSTATUS status, const char* routine) {
  if (status != STATUS_PENDING || marked_pending(irp)) return;
  machine().report_violation(nt::Violation::KsPendingUnmarked,
                             std::string(routine) + " returned STATUS_PENDING without IoMarkIrpPending");
  IoMarkIrpPending(&irp);
}

PinFactory* Filter::pin_factory(uint32_t id) { return id < pin_factories_.size() ? pin_factories_[id].get() : nullptr; }

base::Result<uint32_t> Filter::add_pin_factory(const KSPIN_DESCRIPTOR_EX& descriptor) {
  void* copy = machine().pool().allocate(sizeof(KSPIN_DESCRIPTOR_EX), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  if (!copy) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for the pin's descriptor");
  auto* kept = static_cast<KSPIN_DESCRIPTOR_EX*>(copy);
  *kept = descriptor;
  device().has_pin(*kept);
  auto id = static_cast<uint32_t>(pin_factories_.size());
  pin_factories_.push_back(std::make_unique<PinFactory>(PinFactory{kept, id, {}}));
  return id;
}

uint32_t Filter::add_node(const KSNODE_DESCRIPTOR& descriptor) {
  nodes_.push_back(&descriptor);
  return static_cast<uint32_t>(nodes_.size() - 1);
}

void Filter::add_connections(std::span<const KSTOPOLOGY_CONNECTION> connections) {
  connections_.insert(connections_.end(), connections.begin(), connections.end());
}

NTSTATUS Filter::create_child(IRP& irp, const GUID& class_id, const uint8_t* parameters, size_t bytes) {
  Holding holding(control_);
  if (class_id == KSNAME_Pin) return Pin::create(*this, irp, parameters, bytes);
  if (class_id == KSNAME_TopologyNode) return TopologyNode::create(*this, irp, parameters, bytes);
  return nt::refuse(machine(),
                    base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "a filter has pins and topology nodes below it"));
}

NTSTATUS Filter::device_control(IRP& irp) {
  switch (IoGetCurrentIrpStackLocation(&irp)->Parameters.DeviceIoControl.IoControlCode) {
    case IOCTL_KS_PROPERTY: {
      Holding holding(control_);
      return handle_property(*this, *automation_, irp);
    }
    case IOCTL_KS_METHOD: {
      Holding holding(control_);
      return handle_method(*this, *automation_, irp);
    }
    case IOCTL_KS_ENABLE_EVENT: {
      Holding holding(control_);
      return handle_enable_event(*this, *automation_, irp);
    }
    case IOCTL_KS_DISABLE_EVENT:
      return handle_disable_event(events(), irp);
    default:
      return nt::refuse(machine(), base::Failure(STATUS_INVALID_DEVICE_REQUEST, "no control code for a filter"));
  }
}

void Filter::cleanup(IRP& irp) { events().disable(IoGetCurrentIrpStackLocation(&irp)->FileObject); }

NTSTATUS Filter::close(IRP& irp) {
  NTSTATUS status = STATUS_SUCCESS;
  events().disable(nullptr);
  Holding device_holding(device().mutex());
  {
    Holding holding(control_);
    if (processor_) processor_->suspend();
    if (dispatch() && dispatch()->Close) {
      status = call(machine(), Ddi::FilterClose, &scope(), dispatch()->Close, body_, &irp);
    }
  }
  judge_pending(irp, status, "AVStrMiniFilterClose");
  if (status != STATUS_PENDING) end();
  return status;
}

void Filter::pended(UCHAR major, NTSTATUS status) {
  if (major == IRP_MJ_CLOSE || !NT_SUCCESS(status)) end();
}

void Filter::end() {
  processor_.reset();
  retire();
}

void Filter::device_gone() {
  Holding holding(control_);
  for (const auto& factory : pin_factories_) {
    for (Pin* pin : factory->pins) pin->device_gone();
  }
}

void Filter::tell_power(DEVICE_POWER_STATE state, bool sleep) {
  PFNKSFILTERPOWER routine = sleep ? sleep_ : wake_;
  if (routine) call(machine(), Ddi::FilterPower, &scope(), routine, body_, state);
  for (const auto& factory : pin_factories_) {
    for (Pin* pin : factory->pins) {
      if (pin->own_processor()) pin->own_processor()->tell_power(state, sleep);
    }
  }
}

}  // namespace ks
