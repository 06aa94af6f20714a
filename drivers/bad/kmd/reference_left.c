// Remembers the allocation that it made last, after its destruction too.
// FIXED forgets it then.
#include "skeleton.h"

static UINT64* Last;
static FAST_MUTEX Lock;

static NTSTATUS CreateAndRemember(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  if (!NT_SUCCESS(Status)) return Status;
  ExAcquireFastMutex(&Lock);
  if (Last != NULL) ++*Last;  // one more has come after it
  Last = Args->pAllocationInfo[0].hAllocation;
  ExReleaseFastMutex(&Lock);
  return Status;
}

static NTSTATUS DestroyAndForget(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
#ifdef FIXED
  ExAcquireFastMutex(&Lock);
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    if (Last == Args->pAllocationList[i]) Last = NULL;
  }
  ExReleaseFastMutex(&Lock);
#endif
  return DestroyAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  ExInitializeFastMutex(&Lock);
  Table->DxgkDdiCreateAllocation = CreateAndRemember;
  Table->DxgkDdiDestroyAllocation = DestroyAndForget;
}
