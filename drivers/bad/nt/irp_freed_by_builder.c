// Builds a request that the I/O manager frees, and frees it itself.
// FIXED sends it.
#include "irp.h"

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  UNREFERENCED_PARAMETER(To);
  return Answer(Irp, STATUS_SUCCESS);
}

static VOID Ask(VOID) {
#ifdef FIXED
  SendControl();
#else
  KEVENT Answered;
  IO_STATUS_BLOCK Result;
  PIRP Irp;

  KeInitializeEvent(&Answered, NotificationEvent, FALSE);
  Irp = IoBuildDeviceIoControlRequest(IOCTL_BAD, Device, NULL, 0, NULL, 0, FALSE, &Answered, &Result);
  if (Irp != NULL) IoFreeIrp(Irp);
#endif
}
