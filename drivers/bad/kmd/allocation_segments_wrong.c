// Lets an allocation be evicted to local memory, which is no aperture.
// FIXED lets it be evicted to the aperture.
#include "skeleton.h"

static NTSTATUS CreateEvictable(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* Info = &Args->pAllocationInfo[i];
#ifdef FIXED
    Info->EvictionSegmentSet = SET_OF(APERTURE_SEGMENT);
#else
    Info->EvictionSegmentSet = SET_OF(LOCAL_SEGMENT);
#endif
  }
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateEvictable; }
