// Does not support the query for the precision of history buffers, which a driver since WDDM 1.3 must.
// FIXED answers it.
#include "skeleton.h"

static NTSTATUS QueryWithoutHistory(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
#ifndef FIXED
  if (Query->Type == DXGKQAITYPE_HISTORYBUFFERPRECISION) return STATUS_NOT_SUPPORTED;
#endif
  return QueryAdapterInfo(Adapter, Query);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiQueryAdapterInfo = QueryWithoutHistory; }
