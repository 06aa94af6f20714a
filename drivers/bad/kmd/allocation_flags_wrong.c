// Has the CPU's view of an allocation cached, and gives it none.
// FIXED gives it one.
#include "skeleton.h"

static NTSTATUS CreateCached(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* Info = &Args->pAllocationInfo[i];
#ifdef FIXED
    Info->FlagsWddm2.CpuVisible = Info->FlagsWddm2.Cached = 1;
#else
    Info->FlagsWddm2.CpuVisible = 0;
    Info->FlagsWddm2.Cached = 1;
#endif
  }
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateCached; }
