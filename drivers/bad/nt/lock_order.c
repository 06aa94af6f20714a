// Takes two spin locks in one order here and in the other there. One thread does both, so nothing is ever stuck.
// FIXED takes them in the same order.
#include "skeleton.h"

static KSPIN_LOCK Queue, Device;

static VOID TakeBoth(PKSPIN_LOCK First, PKSPIN_LOCK Second) {
  KIRQL OldIrql;

  KeAcquireSpinLock(First, &OldIrql);
  KeAcquireSpinLockAtDpcLevel(Second);
  KeReleaseSpinLockFromDpcLevel(Second);
  KeReleaseSpinLock(First, OldIrql);
}

static NTSTATUS Start(VOID) {
  KeInitializeSpinLock(&Queue);
  KeInitializeSpinLock(&Device);
  TakeBoth(&Queue, &Device);
#ifdef FIXED
  TakeBoth(&Queue, &Device);
#else
  TakeBoth(&Device, &Queue);
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
