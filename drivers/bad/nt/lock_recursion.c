// Calls, with its spin lock held, a function that takes the same lock.
// FIXED has released it by then.
#include "skeleton.h"

static KSPIN_LOCK Lock;
static ULONG Count;

static VOID CountOne(VOID) {
  KIRQL OldIrql;

  KeAcquireSpinLock(&Lock, &OldIrql);
  Count++;
  KeReleaseSpinLock(&Lock, OldIrql);
}

static NTSTATUS Start(VOID) {
  KIRQL OldIrql;

  KeInitializeSpinLock(&Lock);
  KeAcquireSpinLock(&Lock, &OldIrql);
  Count = 0;
#ifdef FIXED
  KeReleaseSpinLock(&Lock, OldIrql);
  CountOne();
#else
  CountOne();
  KeReleaseSpinLock(&Lock, OldIrql);
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
