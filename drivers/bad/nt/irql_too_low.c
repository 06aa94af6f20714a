// Takes a spin lock at PASSIVE_LEVEL by the form that trusts its caller to be at DISPATCH_LEVEL.
// FIXED takes it by the form that raises the IRQL.
#include "skeleton.h"

static KSPIN_LOCK Lock;
static ULONG Count;

static NTSTATUS Start(VOID) {
  KeInitializeSpinLock(&Lock);
#ifdef FIXED
  KIRQL OldIrql;
  KeAcquireSpinLock(&Lock, &OldIrql);
  Count++;
  KeReleaseSpinLock(&Lock, OldIrql);
#else
  KeAcquireSpinLockAtDpcLevel(&Lock);
  Count++;
  KeReleaseSpinLockFromDpcLevel(&Lock);
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
