// Waits for an event, without a timeout, while it holds a spin lock. That the event is signalled does not help.
// FIXED only looks at the event: a timeout of zero cannot block.
#include "skeleton.h"

static KSPIN_LOCK Lock;
static KEVENT Ready;

static NTSTATUS Start(VOID) {
  KIRQL OldIrql;

  KeInitializeSpinLock(&Lock);
  KeInitializeEvent(&Ready, NotificationEvent, TRUE);
  KeAcquireSpinLock(&Lock, &OldIrql);
#ifdef FIXED
  LARGE_INTEGER AtOnce = {.QuadPart = 0};
  KeWaitForSingleObject(&Ready, Executive, KernelMode, FALSE, &AtOnce);
#else
  KeWaitForSingleObject(&Ready, Executive, KernelMode, FALSE, NULL);
#endif
  KeReleaseSpinLock(&Lock, OldIrql);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
