// Makes a text while it holds a spin lock. The pages of RtlStringCbPrintf say PASSIVE_LEVEL.
// FIXED makes it before it takes the lock.
#include <ntstrsafe.h>

#include "skeleton.h"

static KSPIN_LOCK Lock;
static CHAR Text[32];

static NTSTATUS Start(VOID) {
  NTSTATUS Status;
  KIRQL OldIrql;

  KeInitializeSpinLock(&Lock);
#ifdef FIXED
  Status = RtlStringCbPrintfA(Text, sizeof(Text), "unit %u of %s", 1, "drydock");
  KeAcquireSpinLock(&Lock, &OldIrql);
#else
  KeAcquireSpinLock(&Lock, &OldIrql);
  Status = RtlStringCbPrintfA(Text, sizeof(Text), "unit %u of %s", 1, "drydock");
#endif
  KeReleaseSpinLock(&Lock, OldIrql);
  return Status;
}

static VOID Stop(VOID) {}
