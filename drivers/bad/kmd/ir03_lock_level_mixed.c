// Takes a spin lock as one does at DISPATCH_LEVEL and releases it as one does at PASSIVE_LEVEL.
// FIXED stays at DISPATCH_LEVEL.
#include "on_softgpu.h"

static KSPIN_LOCK Lock;

static NTSTATUS SubmitLocked(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMAND Args) {
  KeAcquireSpinLockAtDpcLevel(&Lock);
#ifdef FIXED
  KeReleaseSpinLockFromDpcLevel(&Lock);
#else
  KeReleaseSpinLock(&Lock, PASSIVE_LEVEL);
#endif
  return Good.DxgkDdiSubmitCommand(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  KeInitializeSpinLock(&Lock);
  Table->DxgkDdiSubmitCommand = SubmitLocked;
}
