// Plug and Play.
#include "pipe.h"

static IO_COMPLETION_ROUTINE PipeSignal;
static NTSTATUS PipeForwardAndWait(PPIPE Pipe, PIRP Irp);
static NTSTATUS PipeStart(PPIPE Pipe, PIRP Irp);
static VOID PipeEnableInterface(PPIPE Pipe, BOOLEAN Enable);
static VOID PipeQuery(PPIPE Pipe, PIPE_STATE State);
static NTSTATUS PipeTakeBack(PPIPE Pipe, PIRP Irp, PIPE_STATE From);
static NTSTATUS PipeCapabilities(PPIPE Pipe, PIRP Irp);
static NTSTATUS PipeRemove(PPIPE Pipe, PIRP Irp);

#pragma alloc_text(PAGE, PipePnp, PipeForwardAndWait, PipeStart, PipeEnableInterface)
#pragma alloc_text(PAGE, PipeQuery, PipeTakeBack, PipeCapabilities, PipeRemove)

NTSTATUS PipePnp(PDEVICE_OBJECT Device, PIRP Irp) {
  PPIPE Pipe = Device->DeviceExtension;
  NTSTATUS Status = IoAcquireRemoveLock(&Pipe->RemoveLock, Irp);
  PAGED_CODE();

  if (!NT_SUCCESS(Status)) return PipeComplete(Irp, Status, 0);
  switch (IoGetCurrentIrpStackLocation(Irp)->MinorFunction) {
    case IRP_MN_START_DEVICE:
      return PipeStart(Pipe, Irp);
    case IRP_MN_QUERY_STOP_DEVICE:
      PipeQuery(Pipe, PipeStopPending);
      break;
    case IRP_MN_CANCEL_STOP_DEVICE:
      return PipeTakeBack(Pipe, Irp, PipeStopPending);
    case IRP_MN_STOP_DEVICE:
      InterlockedExchange(&Pipe->State, PipeStopped);  // reads stay in the queue
      PipeStopHardware(Pipe);
      break;
    case IRP_MN_QUERY_REMOVE_DEVICE:
      PipeQuery(Pipe, PipeRemovePending);
      break;
    case IRP_MN_CANCEL_REMOVE_DEVICE:
      return PipeTakeBack(Pipe, Irp, PipeRemovePending);
    case IRP_MN_SURPRISE_REMOVAL:
      InterlockedExchange(&Pipe->State, PipeSurpriseRemoved);
      PipeEnableInterface(Pipe, FALSE);
      PipeStopHardware(Pipe);
      PipeFailReads(Pipe, NULL, STATUS_DEVICE_REMOVED);
      break;
    case IRP_MN_REMOVE_DEVICE:
      return PipeRemove(Pipe, Irp);
    case IRP_MN_QUERY_CAPABILITIES:
      return PipeCapabilities(Pipe, Irp);
    default:  // nothing to add: the status stays as it is
      return PipePassOn(Pipe, Irp);
  }
  Irp->IoStatus.Status = STATUS_SUCCESS;
  return PipePassOn(Pipe, Irp);
}

static NTSTATUS PipeSignal(PDEVICE_OBJECT Device, PIRP Irp, PVOID Event) {
  UNREFERENCED_PARAMETER(Device);
  if (Irp->PendingReturned) KeSetEvent(Event, IO_NO_INCREMENT, FALSE);
  return STATUS_MORE_PROCESSING_REQUIRED;
}

// The drivers below have finished with it, and it is ours again.
static NTSTATUS PipeForwardAndWait(PPIPE Pipe, PIRP Irp) {
  KEVENT Done;
  NTSTATUS Status;
  PAGED_CODE();

  KeInitializeEvent(&Done, NotificationEvent, FALSE);
  IoCopyCurrentIrpStackLocationToNext(Irp);
  IoSetCompletionRoutine(Irp, PipeSignal, &Done, TRUE, TRUE, TRUE);
  Status = IoCallDriver(Pipe->Below, Irp);
  if (Status == STATUS_PENDING) KeWaitForSingleObject(&Done, Executive, KernelMode, FALSE, NULL);
  return Irp->IoStatus.Status;
}

static NTSTATUS PipeStart(PPIPE Pipe, PIRP Irp) {
  NTSTATUS Status = PipeForwardAndWait(Pipe, Irp);
  PAGED_CODE();

  if (NT_SUCCESS(Status)) {
    Status =
        PipeStartHardware(Pipe, IoGetCurrentIrpStackLocation(Irp)->Parameters.StartDevice.AllocatedResourcesTranslated);
  }
  if (NT_SUCCESS(Status)) {
    InterlockedExchange(&Pipe->State, PipeStarted);
    PipeEnableInterface(Pipe, TRUE);
    PipeRing(Pipe);  // reads may have waited while the device was stopped
  }
  return PipeFinish(Pipe, Irp, Status, 0);
}

static VOID PipeEnableInterface(PPIPE Pipe, BOOLEAN Enable) {
  PAGED_CODE();
  if (Pipe->InterfaceEnabled == Enable) return;
  if (NT_SUCCESS(IoSetDeviceInterfaceState(&Pipe->InterfaceName, Enable))) Pipe->InterfaceEnabled = Enable;
}

static VOID PipeQuery(PPIPE Pipe, PIPE_STATE State) {
  PAGED_CODE();
  InterlockedExchange(&Pipe->StateBefore, Pipe->State);
  InterlockedExchange(&Pipe->State, State);
}

// A query is taken back. It may have failed above, and never have come here.
static NTSTATUS PipeTakeBack(PPIPE Pipe, PIRP Irp, PIPE_STATE From) {
  NTSTATUS Status;
  PAGED_CODE();

  Irp->IoStatus.Status = STATUS_SUCCESS;
  Status = PipeForwardAndWait(Pipe, Irp);
  if (Pipe->State == (LONG)From) InterlockedExchange(&Pipe->State, Pipe->StateBefore);
  PipeRing(Pipe);  // reads may have waited meanwhile
  return PipeFinish(Pipe, Irp, Status, Irp->IoStatus.Information);
}

static NTSTATUS PipeCapabilities(PPIPE Pipe, PIRP Irp) {
  NTSTATUS Status = PipeForwardAndWait(Pipe, Irp);
  PAGED_CODE();

  if (NT_SUCCESS(Status)) {
    IoGetCurrentIrpStackLocation(Irp)->Parameters.DeviceCapabilities.Capabilities->SurpriseRemovalOK = TRUE;
  }
  return PipeFinish(Pipe, Irp, Status, Irp->IoStatus.Information);
}

static NTSTATUS PipeRemove(PPIPE Pipe, PIRP Irp) {
  NTSTATUS Status;
  PAGED_CODE();

  InterlockedExchange(&Pipe->State, PipeRemoved);
  PipeEnableInterface(Pipe, FALSE);
  PipeStopHardware(Pipe);
  PipeFailReads(Pipe, NULL, STATUS_DELETE_PENDING);
  Irp->IoStatus.Status = STATUS_SUCCESS;
  IoSkipCurrentIrpStackLocation(Irp);
  Status = IoCallDriver(Pipe->Below, Irp);
  IoReleaseRemoveLockAndWait(&Pipe->RemoveLock, Irp);
  PipeFailReads(Pipe, NULL, STATUS_DELETE_PENDING);
  KeFlushQueuedDpcs();
  RtlFreeUnicodeString(&Pipe->InterfaceName);
  IoDetachDevice(Pipe->Below);
  IoDeleteDevice(Pipe->Self);
  return Status;
}
