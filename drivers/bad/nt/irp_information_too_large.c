// Returns more bytes than there is room for.
// FIXED returns as many as there is room for.
#include "irp.h"

#define IOCTL_ASK CTL_CODE(FILE_DEVICE_UNKNOWN, 0x800, METHOD_BUFFERED, FILE_ANY_ACCESS)

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  ULONG Room = IoGetCurrentIrpStackLocation(Irp)->Parameters.DeviceIoControl.OutputBufferLength;

  UNREFERENCED_PARAMETER(To);
  RtlZeroMemory(Irp->AssociatedIrp.SystemBuffer, Room);
  Irp->IoStatus.Status = STATUS_SUCCESS;
#ifdef FIXED
  Irp->IoStatus.Information = Room;
#else
  Irp->IoStatus.Information = 2 * Room;
#endif
  IoCompleteRequest(Irp, IO_NO_INCREMENT);
  return STATUS_SUCCESS;
}

static VOID Ask(VOID) {
  ULONG Answered = 1;
  IO_STATUS_BLOCK Result;
  KEVENT Event;
  PIRP Irp;

  KeInitializeEvent(&Event, NotificationEvent, FALSE);
  Irp = IoBuildDeviceIoControlRequest(IOCTL_ASK, Device, NULL, 0, &Answered, sizeof(Answered), FALSE, &Event, &Result);
  if (Irp != NULL && IoCallDriver(Device, Irp) == STATUS_PENDING) WaitFor(&Event);
}
