// Marks a request as pending and returns another status.
// FIXED returns STATUS_PENDING.
#include "irp.h"

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  UNREFERENCED_PARAMETER(To);
  IoMarkIrpPending(Irp);
  Answer(Irp, STATUS_SUCCESS);
#ifdef FIXED
  return STATUS_PENDING;
#else
  return STATUS_SUCCESS;
#endif
}

static VOID Ask(VOID) { Send(Device->StackSize); }
