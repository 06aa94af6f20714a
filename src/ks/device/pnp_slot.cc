#include "ks/device/pnp_slot.h"

#include "ks/device/device.h"
#include "ks/device/system.h"
#include "nt/hardware/resource_list.h"
#include "nt/io/device_objects.h"
#include "nt/io/irps.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

// The bus driver: whatever is asked of a physical device succeeds.
NTSTATUS bus_dispatch(DEVICE_OBJECT*, IRP* irp) {
  IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(irp);
  NTSTATUS status = irp->IoStatus.Status;
  bool known = at.MajorFunction == IRP_MJ_POWER ||
               (at.MajorFunction == IRP_MJ_PNP && at.MinorFunction != IRP_MN_QUERY_INTERFACE);
  if (known) status = STATUS_SUCCESS;
  irp->IoStatus.Status = status;
  nt::Machine::current()->irps().complete(*irp, IO_NO_INCREMENT);
  return status;
}

// The requester takes the IRP back.
NTSTATUS keep(DEVICE_OBJECT*, IRP*, void*) { return STATUS_MORE_PROCESSING_REQUIRED; }

DRIVER_OBJECT& bus_driver(nt::Machine& machine) {
  void* memory = machine.pool().allocate(sizeof(DRIVER_OBJECT), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  auto& driver = *static_cast<DRIVER_OBJECT*>(memory);
  for (PDRIVER_DISPATCH& routine : driver.MajorFunction) routine = bus_dispatch;
  machine.irps().own_routine(&bus_dispatch);
  machine.irps().own_routine(&keep);
  return driver;
}

}  // namespace

PnpSlot::PnpSlot(System& system, nt::Device* hardware) : system_(system), hardware_(hardware) {
  nt::Machine& machine = system.machine();
  auto made = machine.devices().create({bus_driver(machine), 0, {}, FILE_DEVICE_BUS_EXTENDER, 0, false});
  if (!made.ok()) return;
  physical_ = made.take();
  physical_->Flags |= DO_BUS_ENUMERATED_DEVICE;
  if (!hardware_) return;
  if (auto line = hardware_->line()) machine.devices().assign_line(*physical_, *line);
  hardware_->attach_to(*physical_);
}

PnpSlot::~PnpSlot() {
  if (physical_ && !device_) system_.machine().devices().remove(physical_);
}

base::Result<Device*> PnpSlot::add(DRIVER_OBJECT& driver) {
  if (!physical_) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a physical device object");
  Driver* found = system_.driver_of(&driver);
  if (!found) return base::Failure(STATUS_NO_SUCH_DEVICE, "the driver did not call KsInitializeDriver");
  device_ = TRY(Device::add(*found, *physical_));
  return device_;
}

// The IRP has a stack location for each device of the stack, and one of the sender's own for the completion routine.
template <typename Fill>
NTSTATUS PnpSlot::send(UCHAR major, UCHAR minor, Fill&& fill) {
  nt::Machine& machine = system_.machine();
  DEVICE_OBJECT* top = physical_;
  while (top->AttachedDevice) top = top->AttachedDevice;
  IRP* irp = machine.irps().allocate(static_cast<CCHAR>(top->StackSize + 1));
  if (!irp) return STATUS_INSUFFICIENT_RESOURCES;
  irp->IoStatus.Status = STATUS_NOT_SUPPORTED;
  irp->RequestorMode = KernelMode;
  IoSetNextIrpStackLocation(irp);
  IO_STACK_LOCATION& at = *IoGetNextIrpStackLocation(irp);
  at.MajorFunction = major;
  at.MinorFunction = minor;
  fill(at);
  IoSetCompletionRoutine(irp, keep, nullptr, TRUE, TRUE, TRUE);
  NTSTATUS status = machine.irps().call(*top, *irp);
  CHECK_MSG(status != STATUS_PENDING, "no driver of the stack may let a Plug and Play request pend");
  machine.irps().free(*irp);
  return status;
}

NTSTATUS PnpSlot::send(UCHAR major, UCHAR minor) {
  return send(major, minor, [](IO_STACK_LOCATION&) {});
}

NTSTATUS PnpSlot::send_power(UCHAR minor, DEVICE_POWER_STATE state) {
  return send(IRP_MJ_POWER, minor, [&](IO_STACK_LOCATION& at) {
    at.Parameters.Power.Type = DevicePowerState;
    at.Parameters.Power.State.DeviceState = state;
  });
}

NTSTATUS PnpSlot::start() {
  CM_RESOURCE_LIST* resources = hardware_ ? nt::make_resource_list(system_.machine(), *hardware_) : nullptr;
  return send(IRP_MJ_PNP, IRP_MN_START_DEVICE, [&](IO_STACK_LOCATION& at) {
    at.Parameters.StartDevice.AllocatedResources = resources;
    at.Parameters.StartDevice.AllocatedResourcesTranslated = resources;
  });
}

NTSTATUS PnpSlot::surprise_remove() {
  if (hardware_) hardware_->reset();  // what is pulled out does nothing any more
  return send(IRP_MJ_PNP, IRP_MN_SURPRISE_REMOVAL);
}

NTSTATUS PnpSlot::remove() {
  NTSTATUS status = send(IRP_MJ_PNP, IRP_MN_REMOVE_DEVICE);
  device_ = nullptr;
  return status;
}

}  // namespace ks
