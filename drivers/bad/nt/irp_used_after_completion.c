// Completes a request and then reads the status that it returns from it.
// FIXED keeps the status in a variable.
#include "irp.h"

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  NTSTATUS Status = STATUS_SUCCESS;

  UNREFERENCED_PARAMETER(To);
  Irp->IoStatus.Status = Status;
  Irp->IoStatus.Information = 0;
  IoCompleteRequest(Irp, IO_NO_INCREMENT);
#ifndef FIXED
  Status = Irp->IoStatus.Status;
#endif
  return Status;
}

static VOID Ask(VOID) { SendControl(); }
