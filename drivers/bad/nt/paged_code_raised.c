// Calls a function of its PAGE section while it holds a spin lock.
// FIXED leaves the function in the resident part of the image.
#include "skeleton.h"

static KSPIN_LOCK Lock;
static ULONG Count;

static VOID CountOne(VOID);
#ifndef FIXED
#pragma alloc_text(PAGE, CountOne)
#endif

static VOID CountOne(VOID) { Count++; }

static NTSTATUS Start(VOID) {
  KIRQL OldIrql;

  KeInitializeSpinLock(&Lock);
  KeAcquireSpinLock(&Lock, &OldIrql);
  CountOne();
  KeReleaseSpinLock(&Lock, OldIrql);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
