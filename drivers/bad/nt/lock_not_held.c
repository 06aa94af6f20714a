// Releases a spin lock twice.
// FIXED releases it once.
#include "skeleton.h"

static KSPIN_LOCK Lock;

static NTSTATUS Start(VOID) {
  KIRQL OldIrql;

  KeInitializeSpinLock(&Lock);
  KeRaiseIrql(DISPATCH_LEVEL, &OldIrql);
  KeAcquireSpinLockAtDpcLevel(&Lock);
  KeReleaseSpinLockFromDpcLevel(&Lock);
#ifndef FIXED
  KeReleaseSpinLockFromDpcLevel(&Lock);
#endif
  KeLowerIrql(OldIrql);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
