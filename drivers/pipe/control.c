// Controls: one for each way in which buffers travel.
#include "pipe.h"

static NTSTATUS PipeCount(PPIPE Pipe, PIRP Irp, ULONG OutBytes, PULONG_PTR Information) {
  if (OutBytes < sizeof(ULONG)) return STATUS_BUFFER_TOO_SMALL;
  *(PULONG)Irp->AssociatedIrp.SystemBuffer = PipeTake(Pipe, NULL, PIPE_BYTES, TRUE);
  *Information = sizeof(ULONG);
  return STATUS_SUCCESS;
}

static NTSTATUS PipePutOrPeek(PPIPE Pipe, PIRP Irp, BOOLEAN Put, PULONG_PTR Information) {
  PVOID Bytes;
  ULONG Count;

  if (Irp->MdlAddress == NULL) return STATUS_SUCCESS;  // no bytes
  Bytes = MmGetSystemAddressForMdlSafe(Irp->MdlAddress, NormalPagePriority | MdlMappingNoExecute);
  if (Bytes == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Count = MmGetMdlByteCount(Irp->MdlAddress);
  *Information = Put ? PipePut(Pipe, Bytes, Count) : PipeTake(Pipe, Bytes, Count, TRUE);
  return STATUS_SUCCESS;
}

// The pointers are the program's own: they may be wrong, and what they point at may change.
static NTSTATUS PipeDiscard(PPIPE Pipe, PIRP Irp, PIO_STACK_LOCATION At) {
  PULONG In = At->Parameters.DeviceIoControl.Type3InputBuffer, Out = Irp->UserBuffer;
  ULONG Count;

  if (At->Parameters.DeviceIoControl.InputBufferLength != sizeof(ULONG)) return STATUS_INVALID_PARAMETER;
  if (At->Parameters.DeviceIoControl.OutputBufferLength != sizeof(ULONG)) return STATUS_INVALID_PARAMETER;
  __try {
    if (Irp->RequestorMode != KernelMode) {
      ProbeForRead(In, sizeof(ULONG), sizeof(ULONG));
      ProbeForWrite(Out, sizeof(ULONG), sizeof(ULONG));
    }
    Count = *(volatile ULONG*)In;
    *Out = PipeTake(Pipe, NULL, Count, FALSE);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    return GetExceptionCode();
  }
  return STATUS_SUCCESS;
}

NTSTATUS PipeControl(PDEVICE_OBJECT Device, PIRP Irp) {
  PPIPE Pipe = Device->DeviceExtension;
  PIO_STACK_LOCATION At = IoGetCurrentIrpStackLocation(Irp);
  ULONG_PTR Information = 0;
  NTSTATUS Status = IoAcquireRemoveLock(&Pipe->RemoveLock, Irp);

  if (!NT_SUCCESS(Status)) return PipeComplete(Irp, Status, 0);
  Status = PipeReady(Pipe);
  if (!NT_SUCCESS(Status)) return PipeFinish(Pipe, Irp, Status, 0);
  switch (At->Parameters.DeviceIoControl.IoControlCode) {
    case IOCTL_PIPE_COUNT:
      Status = PipeCount(Pipe, Irp, At->Parameters.DeviceIoControl.OutputBufferLength, &Information);
      break;
    case IOCTL_PIPE_PUT:
      Status = PipePutOrPeek(Pipe, Irp, TRUE, &Information);
      break;
    case IOCTL_PIPE_PEEK:
      Status = PipePutOrPeek(Pipe, Irp, FALSE, &Information);
      break;
    case IOCTL_PIPE_DISCARD:
      Status = PipeDiscard(Pipe, Irp, At);
      break;
    default:
      Status = STATUS_INVALID_DEVICE_REQUEST;
  }
  return PipeFinish(Pipe, Irp, Status, Information);
}
