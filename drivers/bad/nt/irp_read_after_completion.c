// Counts the bytes of a request when it is completed, and reads their number from the IRP then. The number decides
// nothing that can be seen, so that only ASan notices.
// FIXED counts first.
#include "irp.h"

static volatile ULONG_PTR Bytes;  // of all requests

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  NTSTATUS Status;

  UNREFERENCED_PARAMETER(To);
#ifdef FIXED
  Bytes += Irp->IoStatus.Information;
#endif
  Status = Answer(Irp, STATUS_SUCCESS);
#ifndef FIXED
  Bytes += Irp->IoStatus.Information;
#endif
  return Status;
}

static VOID Ask(VOID) { SendControl(); }
