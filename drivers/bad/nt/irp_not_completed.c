// Forgets a request.
// FIXED completes it.
#include "irp.h"

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  UNREFERENCED_PARAMETER(To);
#ifdef FIXED
  return Answer(Irp, STATUS_SUCCESS);
#else
  UNREFERENCED_PARAMETER(Irp);
  return STATUS_SUCCESS;
#endif
}

static VOID Ask(VOID) { Send(Device->StackSize); }
