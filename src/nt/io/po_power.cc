// Power requests. Pages: wdm/nf-wdm-pocalldriver, nf-wdm-porequestpowerirp, nf-wdm-posetpowerstate, …
//
// Our policy is simple: only drivers and the host's device layers ask for power, so that requests are sent at once and
// one after another as they come. A device that sets DO_POWER_PAGABLE gets them at PASSIVE_LEVEL, as documented
// (kernel/setting-device-object-flags-for-power-management): from a system worker thread, where the request was made at
// a higher level.
#include "nt/boundary/driver_call.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/refuse.h"
#include "nt/ex/kernel_body.h"
#include "nt/ex/work_queues.h"
#include "nt/io/device_objects.h"
#include "nt/io/irps.h"
#include "nt/machine/driver_scope.h"
#include "nt/mm/pool.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Machine;

namespace {

struct PowerRequest {
  DEVICE_OBJECT* device;
  DEVICE_OBJECT* top;  // held
  UCHAR minor;
  POWER_STATE state;
  PREQUEST_POWER_COMPLETE routine;
  PVOID context;
  nt::Scope* scope;
};

// All drivers have completed it: calls the requester's routine and frees the IRP, as documented.
NTSTATUS power_done(PDEVICE_OBJECT, PIRP irp, PVOID raw) {
  Machine& machine = *Machine::current();
  PowerRequest request = *static_cast<PowerRequest*>(raw);
  machine.pool().free(raw, 0);
  if (request.routine) {
    nt::call_driver(machine, "PowerCompletion", request.scope, request.routine, request.device, request.minor,
                    request.state, request.context, &irp->IoStatus);
  }
  machine.irps().free(*irp);
  machine.devices().release(request.top);
  return STATUS_MORE_PROCESSING_REQUIRED;
}

void fill(IO_STACK_LOCATION& next, const PowerRequest& request) {
  next.MajorFunction = IRP_MJ_POWER;
  next.MinorFunction = request.minor;
  if (request.minor == IRP_MN_WAIT_WAKE) {
    next.Parameters.WaitWake.PowerState = request.state.SystemState;
  } else {
    next.Parameters.Power.Type = DevicePowerState;
    next.Parameters.Power.State = request.state;
  }
}

}  // namespace

extern "C" {

NTSTATUS PoCallDriver(PDEVICE_OBJECT device, PIRP irp) {
  KernelEntry call{Fn::PoCallDriver};
  if (device->Flags & DO_POWER_PAGABLE && call.thread().irql != PASSIVE_LEVEL) {
    call.machine().report_violation(nt::Violation::IrqlTooHigh,
                                    "PoCallDriver for a pageable device was called above PASSIVE_LEVEL");
  }
  call.machine().executor().yield(base::Point::Call);
  return call.machine().irps().call(*device, *irp);
}

VOID PoStartNextPowerIrp(PIRP) { KernelEntry call{Fn::PoStartNextPowerIrp}; }

POWER_STATE PoSetPowerState(PDEVICE_OBJECT device, POWER_STATE_TYPE type, POWER_STATE state) {
  KernelEntry call{Fn::PoSetPowerState};
  if (state.DeviceState != PowerDeviceD0 && call.thread().irql > APC_LEVEL) {
    call.machine().report_violation(nt::Violation::IrqlTooHigh,
                                    "PoSetPowerState to another state than D0 was called at DISPATCH_LEVEL");
  }
  return type == DevicePowerState ? call.machine().devices().set_power(device, state) : state;
}

NTSTATUS PoRequestPowerIrp(PDEVICE_OBJECT device, UCHAR minor, POWER_STATE state, PREQUEST_POWER_COMPLETE routine,
                           PVOID context, PIRP* sent) {
  KernelEntry call{Fn::PoRequestPowerIrp};
  Machine& machine = call.machine();
  if (minor != IRP_MN_SET_POWER && minor != IRP_MN_QUERY_POWER && minor != IRP_MN_WAIT_WAKE) {
    return nt::refuse(machine, base::Failure(STATUS_INVALID_PARAMETER_2, "no minor function of power requests"));
  }
  void* memory = nt::allocate_body(machine, sizeof(PowerRequest));
  if (!memory) return STATUS_INSUFFICIENT_RESOURCES;
  DEVICE_OBJECT* top = machine.devices().top(*device, nt::DeviceObjects::Held::Yes);
  IRP* irp = machine.irps().allocate(top->StackSize);
  if (!irp) {
    machine.pool().free(memory, 0);
    machine.devices().release(top);
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  auto* request =
      new (memory) PowerRequest{device, top, minor, state, routine, context, nt::driver_scope(call.thread().scope)};
  irp->IoStatus.Status = STATUS_NOT_SUPPORTED;  // what every power request begins with, as documented
  fill(*IoGetNextIrpStackLocation(irp), *request);
  machine.irps().own_routine(&power_done);
  IoSetCompletionRoutine(irp, &power_done, request, TRUE, TRUE, TRUE);
  if (sent) *sent = irp;
  auto send = [&machine, top, irp] { machine.irps().call(*top, *irp); };
  if (top->Flags & DO_POWER_PAGABLE && call.thread().irql != PASSIVE_LEVEL) {
    machine.work_queues().queue({.address = memory, .call = send}, CriticalWorkQueue);
  } else {
    send();
  }
  return STATUS_PENDING;
}

}  // extern "C"
