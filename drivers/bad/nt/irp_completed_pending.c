// Completes a request with the status of one that is not complete.
// FIXED says that it succeeded.
#include "irp.h"

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  UNREFERENCED_PARAMETER(To);
#ifdef FIXED
  Answer(Irp, STATUS_SUCCESS);
#else
  Answer(Irp, STATUS_PENDING);
#endif
  return STATUS_SUCCESS;
}

static VOID Ask(VOID) { Send(Device->StackSize); }
