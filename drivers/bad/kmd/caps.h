// For the drivers that say something wrong in DXGK_DRIVERCAPS: Spoil gets to see what the skeleton says.
#pragma once

#include "skeleton.h"

static VOID Spoil(DXGK_DRIVERCAPS* Caps);

static NTSTATUS QuerySpoiled(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  NTSTATUS Status = QueryAdapterInfo(Adapter, Query);
  if (Query->Type == DXGKQAITYPE_DRIVERCAPS) Spoil(Query->pOutputData);
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiQueryAdapterInfo = QuerySpoiled; }
