// Keeps allocations in paged memory, as their functions are pageable, and frees them under a spin lock.
// FIXED frees them without.
#include "skeleton.h"

static KSPIN_LOCK Lock;

static NTSTATUS CreatePaged(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    HANDLE Paged = ExAllocatePool2(POOL_FLAG_PAGED, sizeof(UINT64), BAD_TAG);
    if (Paged == NULL) continue;  // the other will do
    Free(Args->pAllocationInfo[i].hAllocation);
    Args->pAllocationInfo[i].hAllocation = Paged;
  }
  return Status;
}

static NTSTATUS DestroyLocked(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
#ifdef FIXED
  return DestroyAllocation(Adapter, Args);
#else
  KIRQL Irql;
  KeAcquireSpinLock(&Lock, &Irql);
  DestroyAllocation(Adapter, Args);
  KeReleaseSpinLock(&Lock, Irql);
  return STATUS_SUCCESS;
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  KeInitializeSpinLock(&Lock);
  Table->DxgkDdiCreateAllocation = CreatePaged;
  Table->DxgkDdiDestroyAllocation = DestroyLocked;
}
