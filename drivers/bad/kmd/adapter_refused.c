// Does not say which WDDM version it is of.
// FIXED says it.
#include "skeleton.h"

static NTSTATUS QueryWithoutVersion(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  NTSTATUS Status = QueryAdapterInfo(Adapter, Query);
  if (Query->Type == DXGKQAITYPE_DRIVERCAPS) {
    DXGK_DRIVERCAPS* Caps = Query->pOutputData;
#ifdef FIXED
    Caps->WDDMVersion = DXGKDDI_WDDMv2;
#else
    Caps->WDDMVersion = 0;
#endif
  }
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiQueryAdapterInfo = QueryWithoutVersion; }
