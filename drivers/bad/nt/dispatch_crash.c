// Reads the context of a file in its dispatch routine for IRP_MJ_FLUSH_BUFFERS, and never gave the file one.
// FIXED gives it one when the file is created.
#include "wdm.h"

static NTSTATUS Serve(PDEVICE_OBJECT Device, PIRP Irp) {
  PIO_STACK_LOCATION At = IoGetCurrentIrpStackLocation(Irp);

  switch (At->MajorFunction) {
    case IRP_MJ_CREATE:
#ifdef FIXED
      At->FileObject->FsContext = Device->DeviceExtension;
#endif
      return Answer(Irp, STATUS_SUCCESS, 0);
    case IRP_MJ_CLEANUP:
    case IRP_MJ_CLOSE:
      return Answer(Irp, STATUS_SUCCESS, 0);
    case IRP_MJ_WRITE:
      return Answer(Irp, STATUS_SUCCESS, At->Parameters.Write.Length);
    case IRP_MJ_FLUSH_BUFFERS:
      return Answer(Irp, ((PEXTENSION)At->FileObject->FsContext)->Below ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL, 0);
    default:
      return Answer(Irp, STATUS_INVALID_DEVICE_REQUEST, 0);
  }
}
