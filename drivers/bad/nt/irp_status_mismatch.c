// Completes a request with an error and returns success.
// FIXED returns the error.
#include "irp.h"

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  NTSTATUS Status = Answer(Irp, STATUS_INVALID_DEVICE_REQUEST);

  UNREFERENCED_PARAMETER(To);
#ifndef FIXED
  Status = STATUS_SUCCESS;
#endif
  return Status;
}

static VOID Ask(VOID) { Send(Device->StackSize); }
