// Allocates paged pool while it holds a spin lock.
// FIXED allocates before it takes the lock.
#include "skeleton.h"

static KSPIN_LOCK Lock;
static PVOID Table;

static NTSTATUS Start(VOID) {
  PVOID Block;
  KIRQL OldIrql;

  KeInitializeSpinLock(&Lock);
#ifdef FIXED
  Block = ExAllocatePool2(POOL_FLAG_PAGED, 64, BAD_TAG);
  KeAcquireSpinLock(&Lock, &OldIrql);
#else
  KeAcquireSpinLock(&Lock, &OldIrql);
  Block = ExAllocatePool2(POOL_FLAG_PAGED, 64, BAD_TAG);
#endif
  Table = Block;
  KeReleaseSpinLock(&Lock, OldIrql);
  return Block != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) { ExFreePoolWithTag(Table, BAD_TAG); }
