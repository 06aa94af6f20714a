// Lowers the IRQL while it holds a spin lock.
// FIXED lowers it by releasing the lock.
#include "skeleton.h"

static KSPIN_LOCK Lock;

static NTSTATUS Start(VOID) {
  KIRQL Old;

  KeInitializeSpinLock(&Lock);
  KeAcquireSpinLock(&Lock, &Old);
#ifndef FIXED
  KeLowerIrql(Old);
  KeRaiseIrql(DISPATCH_LEVEL, &Old);
#endif
  KeReleaseSpinLock(&Lock, Old);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
