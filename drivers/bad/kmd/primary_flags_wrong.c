// Has one screen, and the CPU's view of the picture on it cached.
// FIXED does not cache it.
#include "display.h"

#define SCANNED_OUT 1  // in the lowest bit of a size

static NTSTATUS GetPrimaryData(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA Args) {
  const D3DKMDT_SHAREDPRIMARYSURFACEDATA* Primary = Args->pCreateSharedPrimarySurfaceData;
  UINT64* Size = Args->pAllocationPrivateDriverData;
  if (Args->StandardAllocationType != D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE) {
    return GetStandardAllocationDriverData(Adapter, Args);
  }
  Args->AllocationPrivateDriverDataSize = sizeof(*Size);
  Args->ResourcePrivateDriverDataSize = 0;
  if (Size != NULL) *Size = (UINT64)Primary->Width * 4 * Primary->Height | SCANNED_OUT;
  return STATUS_SUCCESS;
}

static NTSTATUS CreateCached(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
#ifdef FIXED
    if (Args->pAllocationInfo[i].Size & SCANNED_OUT) continue;
#endif
    Args->pAllocationInfo[i].FlagsWddm2.Cached = 1;
  }
  return Status;
}

static VOID ReplaceDisplay(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiGetStandardAllocationDriverData = GetPrimaryData;
  Table->DxgkDdiCreateAllocation = CreateCached;
}

static VOID Spoil(DXGK_DRIVERCAPS* Caps) {}
