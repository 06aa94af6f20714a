// Shares surfaces with other adapters out of its own memory.
// FIXED lets them live in the aperture only.
#include "skeleton.h"

#define ACROSS 1  // in the lowest bit of a size

static NTSTATUS GetStandardData(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA Args) {
  NTSTATUS Status = GetStandardAllocationDriverData(Adapter, Args);
  UINT64* Size = Args->pAllocationPrivateDriverData;
  BOOLEAN Across = NT_SUCCESS(Status) && Args->pCreateGdiSurfaceData->Type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER;
  if (Across && Size != NULL) *Size |= ACROSS;
  return Status;
}

static NTSTATUS CreateAnywhere(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* Info = &Args->pAllocationInfo[i];
    if (!(Info->Size & ACROSS)) continue;
    Info->FlagsWddm2.CpuVisible = 0;
#ifndef FIXED
    Info->SupportedWriteSegmentSet |= SET_OF(LOCAL_SEGMENT);
#endif
  }
  return Status;
}

static NTSTATUS QueryInfo(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  NTSTATUS Status = QueryAdapterInfo(Adapter, Query);
  if (Query->Type != DXGKQAITYPE_DRIVERCAPS) return Status;
  ((DXGK_DRIVERCAPS*)Query->pOutputData)->MemoryManagementCaps.CrossAdapterResource = 1;
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiGetStandardAllocationDriverData = GetStandardData;
  Table->DxgkDdiCreateAllocation = CreateAnywhere;
  Table->DxgkDdiQueryAdapterInfo = QueryInfo;
}
