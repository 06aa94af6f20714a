// Acquires one spin lock as an ordinary one, and then as a queued one.
// FIXED acquires it as a queued one both times.
#include "skeleton.h"

static KSPIN_LOCK Lock;
static ULONG Count;

static VOID CountUp(VOID) {
#ifdef FIXED
  KLOCK_QUEUE_HANDLE Handle;

  KeAcquireInStackQueuedSpinLock(&Lock, &Handle);
  Count++;
  KeReleaseInStackQueuedSpinLock(&Handle);
#else
  KIRQL Old;

  KeAcquireSpinLock(&Lock, &Old);
  Count++;
  KeReleaseSpinLock(&Lock, Old);
#endif
}

static NTSTATUS Start(VOID) {
  KLOCK_QUEUE_HANDLE Handle;

  KeInitializeSpinLock(&Lock);
  CountUp();
  KeAcquireInStackQueuedSpinLock(&Lock, &Handle);
  Count++;
  KeReleaseInStackQueuedSpinLock(&Handle);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
