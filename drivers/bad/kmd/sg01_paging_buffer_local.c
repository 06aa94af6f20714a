// Wants its paging buffers in local memory.
// FIXED wants them in the aperture.
#include "skeleton.h"

static NTSTATUS QueryWithPaging(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  NTSTATUS Status = QueryAdapterInfo(Adapter, Query);
#ifndef FIXED
  if (Query->Type == DXGKQAITYPE_QUERYSEGMENT4) {
    ((DXGK_QUERYSEGMENTOUT4*)Query->pOutputData)->PagingBufferSegmentId = LOCAL_SEGMENT;
  }
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiQueryAdapterInfo = QueryWithPaging; }
