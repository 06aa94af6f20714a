#include "ks/object/topology_node.h"

#include "ks/device/system.h"
#include "ks/object/filter.h"
#include "ks/property/automation.h"
#include "nt/boundary/refuse.h"

namespace ks {

NTSTATUS TopologyNode::create(Filter& filter, IRP& irp, const uint8_t* parameters, size_t bytes) {
  nt::Machine& machine = filter.machine();
  if (bytes < sizeof(KSNODE_CREATE)) {
    return nt::refuse(machine, base::Failure(STATUS_INVALID_BUFFER_SIZE, "the node's create request is cut short"));
  }
  const auto& request = *reinterpret_cast<const KSNODE_CREATE*>(parameters);
  if (request.CreateFlags)
    return nt::refuse(machine, base::Failure(STATUS_INVALID_PARAMETER, "CreateFlags is reserved"));
  if (request.Node >= filter.nodes().size()) {
    return nt::refuse(machine, base::Failure(STATUS_INVALID_PARAMETER, "the filter has no topology node of that id"));
  }
  IoGetCurrentIrpStackLocation(&irp)->FileObject->FsContext =
      static_cast<FileNode*>(new TopologyNode(filter, request.Node));
  return STATUS_SUCCESS;
}

NTSTATUS TopologyNode::device_control(IRP& irp) {
  const KSNODE_DESCRIPTOR& node = *filter_.nodes()[id_];
  static constexpr KSAUTOMATION_TABLE kNothing{};
  Automation automation(node.AutomationTable, kNothing);
  Holding holding(filter_.control());
  switch (IoGetCurrentIrpStackLocation(&irp)->Parameters.DeviceIoControl.IoControlCode) {
    case IOCTL_KS_PROPERTY:
      return handle_property(filter_, automation, irp);
    case IOCTL_KS_METHOD:
      return handle_method(filter_, automation, irp);
    default:
      return nt::refuse(filter_.machine(),
                        base::Failure(STATUS_INVALID_DEVICE_REQUEST, "no control code for a topology node"));
  }
}

}  // namespace ks
