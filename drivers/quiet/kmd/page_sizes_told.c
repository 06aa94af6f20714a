// Fills MinimumPageSize and RecommendedPageSize, which lie in one union with Alignment: 4 KiB will do, 64 KiB are
// better.
#include "on_softgpu.h"

static NTSTATUS CreateWithPageSizes(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = Good.DxgkDdiCreateAllocation(Adapter, Args);
  if (!NT_SUCCESS(Status)) return Status;
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    Args->pAllocationInfo[i].MinimumPageSize = 1;
    Args->pAllocationInfo[i].RecommendedPageSize = 16;
  }
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateWithPageSizes; }
