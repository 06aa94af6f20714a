// Has the CPU's view of every allocation cached, of those too that it gives none.
// FIXED has those cached that the CPU sees.
#include "on_softgpu.h"

static NTSTATUS CreateCached(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = Good.DxgkDdiCreateAllocation(Adapter, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* Info = &Args->pAllocationInfo[i];
#ifdef FIXED
    if (!Info->FlagsWddm2.CpuVisible) continue;
#endif
    Info->FlagsWddm2.Cached = 1;
  }
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateCached; }
