// Asks for power at DISPATCH_LEVEL, which PoRequestPowerIrp allows, for a device whose dispatch routine is pageable
// (DO_POWER_PAGABLE): the power manager calls that at PASSIVE_LEVEL.
#include "skeleton.h"

static PDEVICE_OBJECT Device;
static KEVENT Done;

static NTSTATUS DispatchPower(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
  UNREFERENCED_PARAMETER(DeviceObject);
  PAGED_CODE();
  Irp->IoStatus.Status = STATUS_SUCCESS;
  IoCompleteRequest(Irp, IO_NO_INCREMENT);
  return STATUS_SUCCESS;
}

static VOID PowerDone(PDEVICE_OBJECT DeviceObject, UCHAR Minor, POWER_STATE State, PVOID Context,
                      PIO_STATUS_BLOCK Result) {
  UNREFERENCED_PARAMETER(DeviceObject);
  UNREFERENCED_PARAMETER(Minor);
  UNREFERENCED_PARAMETER(State);
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(Result);
  KeSetEvent(&Done, IO_NO_INCREMENT, FALSE);
}

static NTSTATUS Start(VOID) {
  POWER_STATE Full = {.DeviceState = PowerDeviceD0};
  KIRQL Old;
  NTSTATUS Status;

  KeInitializeEvent(&Done, NotificationEvent, FALSE);
  TheDriver->MajorFunction[IRP_MJ_POWER] = DispatchPower;
  Status = IoCreateDevice(TheDriver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
  if (!NT_SUCCESS(Status)) return Status;
  Device->Flags |= DO_POWER_PAGABLE;
  Device->Flags &= ~DO_DEVICE_INITIALIZING;
  KeRaiseIrql(DISPATCH_LEVEL, &Old);
  Status = PoRequestPowerIrp(Device, IRP_MN_SET_POWER, Full, PowerDone, NULL, NULL);
  KeLowerIrql(Old);
  if (Status == STATUS_PENDING) {
    WaitFor(&Done);
    return STATUS_SUCCESS;
  }
  IoDeleteDevice(Device);
  return Status;
}

static VOID Stop(VOID) { IoDeleteDevice(Device); }
