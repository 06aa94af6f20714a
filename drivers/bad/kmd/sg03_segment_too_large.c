// Says that there is twice as much local memory as the device has.
// FIXED says how much there is.
#include "on_softgpu.h"

static NTSTATUS QueryBoasting(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  NTSTATUS Status = Good.DxgkDdiQueryAdapterInfo(Adapter, Query);
#ifndef FIXED
  if (Query->Type == DXGKQAITYPE_QUERYSEGMENT4) {
    DXGK_SEGMENTDESCRIPTOR4* Local = (PVOID)((DXGK_QUERYSEGMENTOUT4*)Query->pOutputData)->pSegmentDescriptor;
    if (Local != NULL) Local->Size *= 2;
  }
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiQueryAdapterInfo = QueryBoasting; }
