// Completes a request and then writes to it.
// FIXED writes first.
#include "irp.h"

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  NTSTATUS Status;

#ifdef FIXED
  Irp->Tail.Overlay.DriverContext[0] = To;
#endif
  Status = Answer(Irp, STATUS_SUCCESS);
#ifndef FIXED
  Irp->Tail.Overlay.DriverContext[0] = To;
#endif
  return Status;
}

static VOID Ask(VOID) { SendControl(); }
