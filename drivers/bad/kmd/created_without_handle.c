// Has nothing to remember of an allocation, and so gives it no handle.
// FIXED gives it one all the same.
#include "skeleton.h"

static NTSTATUS CreateForgotten(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
#ifndef FIXED
  if (!NT_SUCCESS(Status)) return Status;
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    Free(Args->pAllocationInfo[i].hAllocation);
    Args->pAllocationInfo[i].hAllocation = NULL;
  }
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateForgotten; }
