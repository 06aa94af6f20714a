// Sends a request to a stack of two devices of its own. The upper one passes it on with a completion routine, waits and
// takes it back; the lower one marks it pending and completes it from a timer's DPC.
#include "skeleton.h"

static PDEVICE_OBJECT Upper, Lower, Below;
static PIRP Pending;
static KTIMER Timer;
static KDPC Dpc;

static VOID CompletePending(PKDPC TheDpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
  PIRP Irp = Pending;
  UNREFERENCED_PARAMETER(TheDpc);
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(Argument1);
  UNREFERENCED_PARAMETER(Argument2);
  Pending = NULL;
  Irp->IoStatus.Status = STATUS_SUCCESS;
  Irp->IoStatus.Information = 0;
  IoCompleteRequest(Irp, IO_NO_INCREMENT);
}

static NTSTATUS TakeBack(PDEVICE_OBJECT Device, PIRP Irp, PVOID Context) {
  UNREFERENCED_PARAMETER(Device);
  if (Irp->PendingReturned) KeSetEvent(Context, IO_NO_INCREMENT, FALSE);
  return STATUS_MORE_PROCESSING_REQUIRED;
}

static NTSTATUS DispatchControl(PDEVICE_OBJECT Device, PIRP Irp) {
  KEVENT Event;
  NTSTATUS Status;

  if (Device == Lower) {
    IoMarkIrpPending(Irp);
    Pending = Irp;
    KeSetTimer(&Timer, Milliseconds(1), &Dpc);
    return STATUS_PENDING;
  }
  KeInitializeEvent(&Event, NotificationEvent, FALSE);
  IoCopyCurrentIrpStackLocationToNext(Irp);
  IoSetCompletionRoutine(Irp, TakeBack, &Event, TRUE, TRUE, TRUE);
  Status = IoCallDriver(Below, Irp);
  if (Status == STATUS_PENDING) {
    WaitFor(&Event);
    Status = Irp->IoStatus.Status;
  }
  IoCompleteRequest(Irp, IO_NO_INCREMENT);
  return Status;
}

static NTSTATUS SendOne(VOID) {
  KEVENT Event;
  IO_STATUS_BLOCK Result;
  PIRP Irp;
  NTSTATUS Status;

  KeInitializeEvent(&Event, NotificationEvent, FALSE);
  Irp = IoBuildDeviceIoControlRequest(CTL_CODE(FILE_DEVICE_UNKNOWN, 0x800, METHOD_BUFFERED, FILE_ANY_ACCESS), Upper, NULL,
                                      0, NULL, 0, FALSE, &Event, &Result);
  if (Irp == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Status = IoCallDriver(Upper, Irp);
  if (Status == STATUS_PENDING) {
    WaitFor(&Event);
    Status = Result.Status;
  }
  return Status;
}

static VOID Stop(VOID) {
  IoDetachDevice(Below);
  IoDeleteDevice(Upper);
  IoDeleteDevice(Lower);
}

static NTSTATUS Start(VOID) {
  NTSTATUS Status;

  KeInitializeTimer(&Timer);
  KeInitializeDpc(&Dpc, CompletePending, NULL);
  TheDriver->MajorFunction[IRP_MJ_DEVICE_CONTROL] = DispatchControl;
  Status = IoCreateDevice(TheDriver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Lower);
  if (!NT_SUCCESS(Status)) return Status;
  Status = IoCreateDevice(TheDriver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Upper);
  if (!NT_SUCCESS(Status)) {
    IoDeleteDevice(Lower);
    return Status;
  }
  Below = IoAttachDeviceToDeviceStack(Upper, Lower);
  Upper->Flags &= ~DO_DEVICE_INITIALIZING;
  Status = SendOne();
  if (!NT_SUCCESS(Status)) Stop();
  return Status;
}
