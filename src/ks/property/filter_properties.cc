// What every filter answers: KSPROPSETID_Pin, KSPROPSETID_Topology, KSPROPSETID_General.
// KSPROPERTY_PIN_GLOBALCINSTANCES, _PHYSICALCONNECTION and the proposals of formats are the driver's ("the class driver
// does not handle this property").
#include <iterator>
#include <vector>

#include "ks/object/descriptor_query.h"
#include "ks/object/filter.h"
#include "ks/object/request.h"
#include "ks/pin/data_intersection.h"
#include "ks/pin/pin.h"
#include "ks/property/automation.h"

namespace ks {
namespace {

Filter& filter_of(IRP& irp) { return static_cast<Filter&>(*node_of(IoGetCurrentIrpStackLocation(&irp)->FileObject)); }

KSP_PIN& pin_request(KSIDENTIFIER* request) { return *reinterpret_cast<KSP_PIN*>(request); }

// The pin factory that a request names; null, and the status is set, if there is none.
PinFactory* factory_of(IRP& irp, KSIDENTIFIER* request, NTSTATUS& status) {
  PinFactory* factory = filter_of(irp).pin_factory(pin_request(request).PinId);
  if (!factory) {
    status = refuse(irp, base::Failure(STATUS_INVALID_PARAMETER, "the filter has no pin factory of that id"));
  }
  return factory;
}

NTSTATUS get_types(PIRP irp, PKSIDENTIFIER, PVOID) {
  return answer_value(*irp, static_cast<ULONG>(filter_of(*irp).pin_factories().size()));
}

NTSTATUS get_instances(PIRP irp, PKSIDENTIFIER request, PVOID) {
  NTSTATUS status;
  PinFactory* factory = factory_of(*irp, request, status);
  if (!factory) return status;
  return answer_value(
      *irp, KSPIN_CINSTANCES{factory->descriptor->InstancesPossible, static_cast<ULONG>(factory->pins.size())});
}

NTSTATUS get_necessary(PIRP irp, PKSIDENTIFIER request, PVOID) {
  NTSTATUS status;
  PinFactory* factory = factory_of(*irp, request, status);
  return factory ? answer_value(*irp, factory->descriptor->InstancesNecessary) : status;
}

NTSTATUS get_member(PIRP irp, PKSIDENTIFIER request, PVOID) {
  NTSTATUS status;
  PinFactory* factory = factory_of(*irp, request, status);
  return factory ? answer_pin_member(*irp, factory->descriptor->PinDescriptor, request->Id) : status;
}

NTSTATUS get_intersection(PIRP irp, PKSIDENTIFIER request, PVOID) {
  NTSTATUS status;
  PinFactory* factory = factory_of(*irp, request, status);
  if (!factory) return status;
  Filter& filter = filter_of(*irp);
  const KSPIN_DESCRIPTOR_EX& descriptor = *factory->descriptor;
  KSP_PIN& pin = pin_request(request);
  return intersect(*irp, pin, descriptor.PinDescriptor, [&](KSDATARANGE& clients, KSDATARANGE& pins) {
    if (!descriptor.IntersectHandler) return intersect_plain(*irp, clients, pins);
    return call_intersect({filter.machine(), &filter.scope()}, {descriptor.IntersectHandler, &*filter}, *irp, pin,
                          clients, pins);
  });
}

NTSTATUS get_topology(PIRP irp, PKSIDENTIFIER request, PVOID) {
  Filter& filter = filter_of(*irp);
  std::vector<GUID> types, names;
  for (const KSNODE_DESCRIPTOR* node : filter.nodes()) {
    types.push_back(node->Type ? *node->Type : GUID_NULL);
    names.push_back(node->Name ? *node->Name : GUID_NULL);
  }
  const KSFILTER_DESCRIPTOR& descriptor = filter.descriptor();
  KSTOPOLOGY topology{descriptor.CategoriesCount,
                      descriptor.Categories,
                      static_cast<ULONG>(types.size()),
                      types.data(),
                      static_cast<ULONG>(filter.connections().size()),
                      filter.connections().data(),
                      names.data(),
                      0};
  return answer_topology_member(*irp, *request, topology);
}

NTSTATUS get_component(PIRP irp, PKSIDENTIFIER, PVOID) {
  const KSCOMPONENTID* id = filter_of(*irp).descriptor().ComponentId;
  if (!id) return refuse(*irp, base::Failure(STATUS_NOT_FOUND, "the filter has no component id"));
  return answer_value(*irp, *id);
}

constexpr KSPROPERTY_ITEM row(ULONG id, PFNKSHANDLER get, ULONG descriptor_bytes) {
  return {id, {get}, descriptor_bytes, 0, {nullptr}, nullptr, 0, nullptr, nullptr, 0};
}

const KSPROPERTY_ITEM kPin[] = {
    row(KSPROPERTY_PIN_CINSTANCES, get_instances, sizeof(KSP_PIN)),
    row(KSPROPERTY_PIN_CTYPES, get_types, sizeof(KSPROPERTY)),
    row(KSPROPERTY_PIN_DATAFLOW, get_member, sizeof(KSP_PIN)),
    row(KSPROPERTY_PIN_DATARANGES, get_member, sizeof(KSP_PIN)),
    row(KSPROPERTY_PIN_DATAINTERSECTION, get_intersection, sizeof(KSP_PIN) + sizeof(KSMULTIPLE_ITEM)),
    row(KSPROPERTY_PIN_INTERFACES, get_member, sizeof(KSP_PIN)),
    row(KSPROPERTY_PIN_MEDIUMS, get_member, sizeof(KSP_PIN)),
    row(KSPROPERTY_PIN_COMMUNICATION, get_member, sizeof(KSP_PIN)),
    row(KSPROPERTY_PIN_NECESSARYINSTANCES, get_necessary, sizeof(KSP_PIN)),
    row(KSPROPERTY_PIN_CATEGORY, get_member, sizeof(KSP_PIN)),
    row(KSPROPERTY_PIN_NAME, get_member, sizeof(KSP_PIN)),
    row(KSPROPERTY_PIN_CONSTRAINEDDATARANGES, get_member, sizeof(KSP_PIN)),
};
const KSPROPERTY_ITEM kTopology[] = {
    row(KSPROPERTY_TOPOLOGY_CATEGORIES, get_topology, sizeof(KSPROPERTY)),
    row(KSPROPERTY_TOPOLOGY_NODES, get_topology, sizeof(KSPROPERTY)),
    row(KSPROPERTY_TOPOLOGY_CONNECTIONS, get_topology, sizeof(KSPROPERTY)),
    row(KSPROPERTY_TOPOLOGY_NAME, get_topology, sizeof(KSP_NODE)),
};
const KSPROPERTY_ITEM kGeneral[] = {row(KSPROPERTY_GENERAL_COMPONENTID, get_component, sizeof(KSPROPERTY))};

const KSPROPERTY_SET kSets[] = {
    {&KSPROPSETID_Pin, std::size(kPin), kPin, 0, nullptr},
    {&KSPROPSETID_Topology, std::size(kTopology), kTopology, 0, nullptr},
    {&KSPROPSETID_General, std::size(kGeneral), kGeneral, 0, nullptr},
};

}  // namespace

const KSAUTOMATION_TABLE& filter_automation() {
  static constexpr KSAUTOMATION_TABLE kTable{std::size(kSets),
                                             sizeof(KSPROPERTY_ITEM),
                                             kSets,
                                             0,
                                             sizeof(KSMETHOD_ITEM),
                                             nullptr,
                                             0,
                                             sizeof(KSEVENT_ITEM),
                                             nullptr,
                                             nullptr};
  return kTable;
}

}  // namespace ks
