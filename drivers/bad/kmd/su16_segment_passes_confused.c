// Tells the first query for its segments from the second by the input, which both have.
// FIXED looks at the descriptors.
#include "skeleton.h"

static BOOLEAN AsksForCount(const DXGKARG_QUERYADAPTERINFO* Query) {
#ifdef FIXED
  return ((DXGK_QUERYSEGMENTOUT4*)Query->pOutputData)->pSegmentDescriptor == NULL;
#else
  return Query->pInputData == NULL;
#endif
}

static NTSTATUS QueryInTwoPasses(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  DXGK_QUERYSEGMENTOUT4* Out = Query->pOutputData;
  if (Query->Type == DXGKQAITYPE_QUERYSEGMENT4 && !AsksForCount(Query) && Out->NbSegment == 0) {
    return STATUS_INVALID_PARAMETER;  // no room for what there is to describe
  }
  return QueryAdapterInfo(Adapter, Query);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiQueryAdapterInfo = QueryInTwoPasses; }
