// Completes a request that can still be cancelled.
// FIXED takes the cancel routine out.
#include "irp.h"

static VOID Cancel(PDEVICE_OBJECT To, PIRP Irp) {
  UNREFERENCED_PARAMETER(To);
  IoReleaseCancelSpinLock(Irp->CancelIrql);
}

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  UNREFERENCED_PARAMETER(To);
  IoSetCancelRoutine(Irp, Cancel);
#ifdef FIXED
  IoSetCancelRoutine(Irp, NULL);
#endif
  return Answer(Irp, STATUS_SUCCESS);
}

static VOID Ask(VOID) { Send(Device->StackSize); }
