// Lets what the CPU sees go to local memory too, although other processes may open it.
// FIXED keeps it in the aperture.
#include "skeleton.h"

static NTSTATUS CreateAnywhere(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* Info = &Args->pAllocationInfo[i];
#ifdef FIXED
    Info->SupportedWriteSegmentSet = SET_OF(APERTURE_SEGMENT);
#else
    Info->SupportedWriteSegmentSet = SET_OF(APERTURE_SEGMENT) | SET_OF(LOCAL_SEGMENT);
#endif
  }
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateAnywhere; }
