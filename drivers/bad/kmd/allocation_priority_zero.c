// Leaves it to the system how important an allocation is.
// FIXED says that it is as important as most.
#include "skeleton.h"

static NTSTATUS CreateUnimportant(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* Info = &Args->pAllocationInfo[i];
#ifdef FIXED
    Info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
#else
    Info->AllocationPriority = 0;
#endif
  }
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateUnimportant; }
