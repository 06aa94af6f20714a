// Writes to paged pool while it holds a spin lock.
// FIXED takes nonpaged pool.
#include "skeleton.h"

#ifdef FIXED
#define WHERE POOL_FLAG_NON_PAGED
#else
#define WHERE POOL_FLAG_PAGED
#endif

static KSPIN_LOCK Lock;
static volatile ULONG* Count;

static NTSTATUS Start(VOID) {
  KIRQL Old;

  Count = ExAllocatePool2(WHERE, sizeof(ULONG), BAD_TAG);
  if (Count == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  KeInitializeSpinLock(&Lock);
  KeAcquireSpinLock(&Lock, &Old);
  *Count = 1;
  KeReleaseSpinLock(&Lock, Old);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) { ExFreePoolWithTag((PVOID)Count, BAD_TAG); }
