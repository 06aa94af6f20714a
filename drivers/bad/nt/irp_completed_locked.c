// Completes a request with its spin lock held.
// FIXED releases the lock before.
#include "irp.h"

static KSPIN_LOCK Lock;

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp) {
  NTSTATUS Status;
  KIRQL Irql;

  UNREFERENCED_PARAMETER(To);
  KeAcquireSpinLock(&Lock, &Irql);
#ifdef FIXED
  KeReleaseSpinLock(&Lock, Irql);
  Status = Answer(Irp, STATUS_SUCCESS);
#else
  Status = Answer(Irp, STATUS_SUCCESS);
  KeReleaseSpinLock(&Lock, Irql);
#endif
  return Status;
}

static VOID Ask(VOID) {
  KeInitializeSpinLock(&Lock);
  Send(Device->StackSize);
}
