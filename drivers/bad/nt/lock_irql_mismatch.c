// Releases a spin lock to an IRQL above the one it runs at, which no acquisition can have returned.
// FIXED goes back to what the acquisition returned.
#include "skeleton.h"

static KSPIN_LOCK Lock;

static NTSTATUS Start(VOID) {
  KIRQL OldIrql;

  KeInitializeSpinLock(&Lock);
  KeAcquireSpinLock(&Lock, &OldIrql);
#ifndef FIXED
  OldIrql = DEVICE_IRQL;
#endif
  KeReleaseSpinLock(&Lock, OldIrql);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
