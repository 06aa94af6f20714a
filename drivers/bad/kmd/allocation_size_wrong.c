// Counts the rows of a surface for its pitch-aligned size, and forgets how long they are.
// FIXED counts their bytes.
#include "skeleton.h"

static NTSTATUS CreateTooSmall(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* Info = &Args->pAllocationInfo[i];
#ifdef FIXED
    Info->PitchAlignedSize = Info->Size;
#else
    Info->PitchAlignedSize = 1;
#endif
  }
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateTooSmall; }
