// Compares two Unicode strings while it holds a spin lock. RtlEqualUnicodeString is for PASSIVE_LEVEL.
// FIXED compares before it takes the lock.
#include "skeleton.h"

static KSPIN_LOCK Lock;
static BOOLEAN SameName;

static NTSTATUS Start(VOID) {
  static const UNICODE_STRING Ours = RTL_CONSTANT_STRING(L"drydock");
  BOOLEAN Same;
  KIRQL OldIrql;

  KeInitializeSpinLock(&Lock);
#ifdef FIXED
  Same = RtlEqualUnicodeString(&TheDriver->DriverName, &Ours, TRUE);
  KeAcquireSpinLock(&Lock, &OldIrql);
#else
  KeAcquireSpinLock(&Lock, &OldIrql);
  Same = RtlEqualUnicodeString(&TheDriver->DriverName, &Ours, TRUE);
#endif
  SameName = Same;
  KeReleaseSpinLock(&Lock, OldIrql);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
