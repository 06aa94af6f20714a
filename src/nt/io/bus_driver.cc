// What a bus driver answers for a physical device object. Page: kernel/handling-irps-in-a-bus-driver and those of the
// minor functions; a request that it does not handle keeps its status, as documented for Plug and Play requests.
#include "nt/io/bus_driver.h"

#include <algorithm>

#include "nt/ex/object_references.h"
#include "nt/io/device_objects.h"
#include "nt/io/irps.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace nt {
namespace {

// Memory that the receiver of an answer frees. It does not belong to the driver above.
template <typename T>
T* make_answer(Machine& machine, size_t bytes = sizeof(T)) {
  return static_cast<T*>(machine.pool().allocate(bytes, 0, PoolKind::Internal, PoolFill::Zero));
}

NTSTATUS answer_with(IRP& irp, void* answer) {
  if (!answer) return STATUS_INSUFFICIENT_RESOURCES;
  irp.IoStatus.Information = reinterpret_cast<ULONG_PTR>(answer);
  return STATUS_SUCCESS;
}

// A device that knows D0 to D3, sleeps in D3 and cannot wake the system.
NTSTATUS fill_capabilities(DEVICE_CAPABILITIES& capabilities) {
  capabilities.DeviceD1 = capabilities.DeviceD2 = 1;
  capabilities.SurpriseRemovalOK = capabilities.Removable = 1;
  std::fill(std::begin(capabilities.DeviceState), std::end(capabilities.DeviceState), PowerDeviceD3);
  capabilities.DeviceState[PowerSystemUnspecified] = PowerDeviceUnspecified;
  capabilities.DeviceState[PowerSystemWorking] = PowerDeviceD0;
  capabilities.SystemWake = PowerSystemUnspecified;
  capabilities.DeviceWake = PowerDeviceUnspecified;
  return STATUS_SUCCESS;
}

NTSTATUS answer_relations(Machine& machine, DEVICE_OBJECT& device, IRP& irp, DEVICE_RELATION_TYPE type) {
  if (type != TargetDeviceRelation) return irp.IoStatus.Status;
  auto* relations = make_answer<DEVICE_RELATIONS>(machine);
  if (!relations) return STATUS_INSUFFICIENT_RESOURCES;
  relations->Count = 1;
  relations->Objects[0] = &device;
  machine.references().take(&device, ObjectReferences::kDefaultTag, "IRP_MN_QUERY_DEVICE_RELATIONS");
  return answer_with(irp, relations);
}

NTSTATUS answer_id(Machine& machine, const DEVICE_OBJECT& device, IRP& irp, BUS_QUERY_ID_TYPE type) {
  if (type != BusQueryDeviceID && type != BusQueryHardwareIDs && type != BusQueryCompatibleIDs) {
    return irp.IoStatus.Status;
  }
  auto property = type == BusQueryCompatibleIDs ? DevicePropertyCompatibleIDs : DevicePropertyHardwareID;
  auto value = machine.devices().property(&device, property);
  if (!value.ok()) return irp.IoStatus.Status;
  auto* id = make_answer<uint8_t>(machine, value.value().size());
  if (id) std::copy(value.value().begin(), value.value().end(), id);
  return answer_with(irp, id);
}

NTSTATUS answer_bus(Machine& machine, IRP& irp) {
  auto* bus = make_answer<PNP_BUS_INFORMATION>(machine);
  if (bus) *bus = {kBusGuid, PCIBus, 0};
  return answer_with(irp, bus);
}

NTSTATUS answer_pnp(Machine& machine, DEVICE_OBJECT& device, IRP& irp) {
  IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(&irp);
  switch (at.MinorFunction) {
    case IRP_MN_START_DEVICE:
    case IRP_MN_QUERY_REMOVE_DEVICE:
    case IRP_MN_REMOVE_DEVICE:
    case IRP_MN_CANCEL_REMOVE_DEVICE:
    case IRP_MN_STOP_DEVICE:
    case IRP_MN_QUERY_STOP_DEVICE:
    case IRP_MN_CANCEL_STOP_DEVICE:
    case IRP_MN_SURPRISE_REMOVAL:
    case IRP_MN_QUERY_PNP_DEVICE_STATE:
    case IRP_MN_DEVICE_USAGE_NOTIFICATION:
      return STATUS_SUCCESS;
    case IRP_MN_QUERY_CAPABILITIES:
      return fill_capabilities(*at.Parameters.DeviceCapabilities.Capabilities);
    case IRP_MN_QUERY_DEVICE_RELATIONS:
      return answer_relations(machine, device, irp, at.Parameters.QueryDeviceRelations.Type);
    case IRP_MN_QUERY_ID:
      return answer_id(machine, device, irp, at.Parameters.QueryId.IdType);
    case IRP_MN_QUERY_BUS_INFORMATION:
      return answer_bus(machine, irp);
    default:
      return irp.IoStatus.Status;
  }
}

// Our policy: the device can be opened through any driver above, and does no I/O of its own.
NTSTATUS answer_file(UCHAR major) {
  bool opens = major == IRP_MJ_CREATE || major == IRP_MJ_CLEANUP || major == IRP_MJ_CLOSE;
  return opens ? STATUS_SUCCESS : STATUS_INVALID_DEVICE_REQUEST;
}

NTSTATUS answer(Machine& machine, DEVICE_OBJECT& device, IRP& irp) {
  IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(&irp);
  switch (at.MajorFunction) {
    case IRP_MJ_PNP:
      return answer_pnp(machine, device, irp);
    case IRP_MJ_POWER:
      return at.MinorFunction == IRP_MN_WAIT_WAKE ? irp.IoStatus.Status : STATUS_SUCCESS;
    case IRP_MJ_SYSTEM_CONTROL:
      return irp.IoStatus.Status;
    default:
      return answer_file(at.MajorFunction);
  }
}

NTSTATUS bus_dispatch(DEVICE_OBJECT* device, IRP* irp) {
  Machine& machine = *Machine::current();
  NTSTATUS status = answer(machine, *device, *irp);
  irp->IoStatus.Status = status;
  machine.irps().complete(*irp, IO_NO_INCREMENT);
  return status;
}

}  // namespace

DRIVER_OBJECT& make_bus_driver(Machine& machine) {
  void* memory = machine.pool().allocate(sizeof(DRIVER_OBJECT), 0, PoolKind::Internal, PoolFill::Zero);
  CHECK(memory);
  auto& driver = *static_cast<DRIVER_OBJECT*>(memory);
  for (PDRIVER_DISPATCH& routine : driver.MajorFunction) routine = bus_dispatch;
  machine.irps().own_routine(&bus_dispatch);
  return driver;
}

}  // namespace nt
