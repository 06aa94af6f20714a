#include "ks/object/descriptor_query.h"

#include <string>
#include <vector>

#include "ks/device/friendly_name.h"
#include "ks/object/request.h"
#include "ks/pin/data_intersection.h"

namespace ks {
namespace {

// Without a list of its own a pin has the standard interface and the standard medium (ours: the pages leave it open).
const KSPIN_INTERFACE kStandardStreaming{{{KSINTERFACESETID_Standard, KSINTERFACE_STANDARD_STREAMING, 0}}};
const KSPIN_MEDIUM kStandardMedium{{{KSMEDIUMSETID_Standard, KSMEDIUM_STANDARD_DEVIO, 0}}};

NTSTATUS answer_identifiers(IRP& irp, ULONG count, const KSIDENTIFIER* list, const KSIDENTIFIER& standard) {
  if (!list || !count) return answer_list(irp, 1, sizeof(standard), &standard);
  return answer_list(irp, count, sizeof(*list), list);
}

NTSTATUS answer_ranges(IRP& irp, const PKSDATARANGE* ranges, ULONG count) {
  std::vector<uint8_t> bytes;
  auto list = data_ranges(ranges, count);
  for (const KSDATARANGE* range : list) {
    const auto* from = reinterpret_cast<const uint8_t*>(range);
    size_t at = bytes.size();
    bytes.insert(bytes.end(), from, from + range->FormatSize);
    // Attribute lists are only for clients that ask for them: without a list the flag is cleared.
    reinterpret_cast<KSDATARANGE*>(bytes.data() + at)->Flags &= ~ULONG{KSDATARANGE_ATTRIBUTES};
    bytes.resize((bytes.size() + 7) & ~size_t{7});
  }
  return answer_items(irp, static_cast<ULONG>(list.size()), bytes);
}

NTSTATUS answer_name(IRP& irp, const GUID* name) {
  if (!name) return refuse(irp, base::Failure(STATUS_NOT_FOUND, "the driver gave no name"));
  auto text = friendly_name(*nt::Machine::current(), *name);
  if (!text.ok()) return refuse(irp, text.failure());
  return answer_bytes(irp, text.value().c_str(), (text.value().size() + 1) * sizeof(WCHAR));
}

NTSTATUS answer_guids(IRP& irp, ULONG count, const GUID* guids) { return answer_list(irp, count, sizeof(GUID), guids); }

}  // namespace

NTSTATUS answer_pin_member(IRP& irp, const KSPIN_DESCRIPTOR& descriptor, ULONG member) {
  switch (member) {
    case KSPROPERTY_PIN_DATAFLOW:
      return answer_value(irp, descriptor.DataFlow);
    case KSPROPERTY_PIN_DATARANGES:
      return answer_ranges(irp, descriptor.DataRanges, descriptor.DataRangesCount);
    case KSPROPERTY_PIN_CONSTRAINEDDATARANGES:
      // A pin that names no constraints takes all its ranges.
      if (!descriptor.ConstrainedDataRangesCount || !descriptor.ConstrainedDataRanges) {
        return answer_ranges(irp, descriptor.DataRanges, descriptor.DataRangesCount);
      }
      return answer_ranges(irp, descriptor.ConstrainedDataRanges, descriptor.ConstrainedDataRangesCount);
    case KSPROPERTY_PIN_INTERFACES:
      return answer_identifiers(irp, descriptor.InterfacesCount, descriptor.Interfaces, kStandardStreaming);
    case KSPROPERTY_PIN_MEDIUMS:
      return answer_identifiers(irp, descriptor.MediumsCount, descriptor.Mediums, kStandardMedium);
    case KSPROPERTY_PIN_COMMUNICATION:
      return answer_value(irp, descriptor.Communication);
    case KSPROPERTY_PIN_CATEGORY:
      if (!descriptor.Category) return refuse(irp, base::Failure(STATUS_NOT_FOUND, "the pin is of no category"));
      return answer_value(irp, *descriptor.Category);
    case KSPROPERTY_PIN_NAME:
      return answer_name(irp, descriptor.Name ? descriptor.Name : descriptor.Category);
    default:
      return refuse(irp, base::Failure(STATUS_NOT_FOUND, "the class does not answer that property of a pin"));
  }
}

NTSTATUS answer_topology_member(IRP& irp, const KSPROPERTY& request, const KSTOPOLOGY& topology) {
  switch (request.Id) {
    case KSPROPERTY_TOPOLOGY_CATEGORIES:
      return answer_guids(irp, topology.CategoriesCount, topology.Categories);
    case KSPROPERTY_TOPOLOGY_NODES:
      return answer_guids(irp, topology.TopologyNodesCount, topology.TopologyNodes);
    case KSPROPERTY_TOPOLOGY_CONNECTIONS:
      return answer_list(irp, topology.TopologyConnectionsCount, sizeof(KSTOPOLOGY_CONNECTION),
                         topology.TopologyConnections);
    case KSPROPERTY_TOPOLOGY_NAME: {
      ULONG node = reinterpret_cast<const KSP_NODE&>(request).NodeId;
      if (node >= topology.TopologyNodesCount) {
        return refuse(irp, base::Failure(STATUS_INVALID_PARAMETER, "the filter has no topology node of that id"));
      }
      bool named = topology.TopologyNodesNames && topology.TopologyNodesNames[node] != GUID_NULL;
      return answer_name(irp, named ? &topology.TopologyNodesNames[node] : &topology.TopologyNodes[node]);
    }
    default:
      return refuse(irp, base::Failure(STATUS_NOT_FOUND, "the topology has no such property"));
  }
}

}  // namespace ks
