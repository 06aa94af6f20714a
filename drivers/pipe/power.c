// Power. The driver owns the power policy of its device: the system's requests become requests for the device.
#include "pipe.h"

static IO_COMPLETION_ROUTINE PipePoweredUp;
static IO_COMPLETION_ROUTINE PipeSystemDone;
static REQUEST_POWER_COMPLETE PipeDeviceDone;
static NTSTATUS PipeSetDevicePower(PPIPE Pipe, PIRP Irp);
static NTSTATUS PipeSetSystemPower(PPIPE Pipe, PIRP Irp);

static NTSTATUS PipePassOnPower(PPIPE Pipe, PIRP Irp) {
  NTSTATUS Status;

  IoSkipCurrentIrpStackLocation(Irp);
  Status = PoCallDriver(Pipe->Below, Irp);
  IoReleaseRemoveLock(&Pipe->RemoveLock, Irp);
  return Status;
}

NTSTATUS PipePower(PDEVICE_OBJECT Device, PIRP Irp) {
  PPIPE Pipe = Device->DeviceExtension;
  PIO_STACK_LOCATION At = IoGetCurrentIrpStackLocation(Irp);
  NTSTATUS Status = IoAcquireRemoveLock(&Pipe->RemoveLock, Irp);

  if (!NT_SUCCESS(Status)) return PipeComplete(Irp, Status, 0);
  if (At->MinorFunction != IRP_MN_SET_POWER) return PipePassOnPower(Pipe, Irp);
  return At->Parameters.Power.Type == SystemPowerState ? PipeSetSystemPower(Pipe, Irp) : PipeSetDevicePower(Pipe, Irp);
}

// Down: the device first, then the drivers below. Up: the other way round.
static NTSTATUS PipeSetDevicePower(PPIPE Pipe, PIRP Irp) {
  POWER_STATE State = IoGetCurrentIrpStackLocation(Irp)->Parameters.Power.State;

  if (State.DeviceState != PowerDeviceD0) {
    PipeSetPower(Pipe, State.DeviceState);
    PoSetPowerState(Pipe->Self, DevicePowerState, State);
    return PipePassOnPower(Pipe, Irp);
  }
  IoMarkIrpPending(Irp);
  IoCopyCurrentIrpStackLocationToNext(Irp);
  IoSetCompletionRoutine(Irp, PipePoweredUp, Pipe, TRUE, TRUE, TRUE);
  PoCallDriver(Pipe->Below, Irp);
  return STATUS_PENDING;
}

static NTSTATUS PipePoweredUp(PDEVICE_OBJECT Device, PIRP Irp, PVOID Context) {
  PPIPE Pipe = Context;
  POWER_STATE State = {.DeviceState = PowerDeviceD0};
  UNREFERENCED_PARAMETER(Device);

  if (NT_SUCCESS(Irp->IoStatus.Status)) {
    PipeSetPower(Pipe, PowerDeviceD0);
    PoSetPowerState(Pipe->Self, DevicePowerState, State);
    PipeRing(Pipe);
  }
  IoReleaseRemoveLock(&Pipe->RemoveLock, Irp);
  return STATUS_CONTINUE_COMPLETION;
}

// Its remove lock is released when the request for the device has ended.
static NTSTATUS PipeSetSystemPower(PPIPE Pipe, PIRP Irp) {
  IoMarkIrpPending(Irp);
  IoCopyCurrentIrpStackLocationToNext(Irp);
  IoSetCompletionRoutine(Irp, PipeSystemDone, Pipe, TRUE, TRUE, TRUE);
  PoCallDriver(Pipe->Below, Irp);
  return STATUS_PENDING;
}

static NTSTATUS PipeSystemDone(PDEVICE_OBJECT Device, PIRP Irp, PVOID Context) {
  PPIPE Pipe = Context;
  SYSTEM_POWER_STATE System = IoGetCurrentIrpStackLocation(Irp)->Parameters.Power.State.SystemState;
  POWER_STATE State = {.DeviceState = System == PowerSystemWorking ? PowerDeviceD0 : PowerDeviceD3};
  NTSTATUS Status = Irp->IoStatus.Status;
  UNREFERENCED_PARAMETER(Device);

  if (NT_SUCCESS(Status)) {
    Status = PoRequestPowerIrp(Pipe->Physical, IRP_MN_SET_POWER, State, PipeDeviceDone, Irp, NULL);
    if (Status == STATUS_PENDING) return STATUS_MORE_PROCESSING_REQUIRED;
    Irp->IoStatus.Status = Status;
  }
  IoReleaseRemoveLock(&Pipe->RemoveLock, Irp);
  return STATUS_CONTINUE_COMPLETION;
}

static VOID PipeDeviceDone(PDEVICE_OBJECT Device, UCHAR Minor, POWER_STATE State, PVOID Context,
                           PIO_STATUS_BLOCK Result) {
  PIRP System = Context;
  PPIPE Pipe = IoGetCurrentIrpStackLocation(System)->DeviceObject->DeviceExtension;
  UNREFERENCED_PARAMETER(Device);
  UNREFERENCED_PARAMETER(Minor);
  UNREFERENCED_PARAMETER(State);

  PipeFinish(Pipe, System, Result->Status, 0);
}
