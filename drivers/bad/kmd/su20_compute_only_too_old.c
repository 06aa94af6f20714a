// Says that it is a compute-only driver and of WDDM 2.5, which had no such drivers.
// FIXED is an ordinary one.
#include "skeleton.h"

static NTSTATUS QueryForCompute(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  NTSTATUS Status = QueryAdapterInfo(Adapter, Query);
#ifndef FIXED
  if (Query->Type == DXGKQAITYPE_DRIVERCAPS) ((DXGK_DRIVERCAPS*)Query->pOutputData)->MiscCaps.ComputeOnly = 1;
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->Version = DXGKDDI_INTERFACE_VERSION_WDDM2_5;
  Table->DxgkDdiQueryAdapterInfo = QueryForCompute;
}
