// Gives a context allocation back under a spin lock, and again without when that was refused.
// FIXED gives it back without.
#include "on_softgpu_callbacks.h"

static KSPIN_LOCK Lock;

static NTSTATUS DestroyLocked(IN_CONST_HANDLE Adapter, IN_CONST_HANDLE Allocation) {
#ifndef FIXED
  KIRQL Irql;
  NTSTATUS Status;
  KeAcquireSpinLock(&Lock, &Irql);
  Status = Dxgk.DxgkCbDestroyContextAllocation(Adapter, Allocation);
  KeReleaseSpinLock(&Lock, Irql);
  if (NT_SUCCESS(Status)) return Status;
#endif
  return Dxgk.DxgkCbDestroyContextAllocation(Adapter, Allocation);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbDestroyContextAllocation = DestroyLocked; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  KeInitializeSpinLock(&Lock);
  Table->DxgkDdiStartDevice = StartBetween;
}
