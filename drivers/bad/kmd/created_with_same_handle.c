// Has one tracking structure for all allocations of a call.
// FIXED has one for each.
#include "skeleton.h"

#ifndef FIXED
static UINT64 TheOnlyOne;

static NTSTATUS CreateAlike(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  if (!NT_SUCCESS(Status)) return Status;
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    Free(Args->pAllocationInfo[i].hAllocation);
    Args->pAllocationInfo[i].hAllocation = &TheOnlyOne;
  }
  return Status;
}

static NTSTATUS DestroyNone(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
  return STATUS_SUCCESS;
}
#endif

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
#ifndef FIXED
  Table->DxgkDdiCreateAllocation = CreateAlike;
  Table->DxgkDdiDestroyAllocation = DestroyNone;
#endif
}
