// Drivers that say one thing of their allocations which they should not: Describe changes what the skeleton says of
// each. ALSO changes the driver's table besides.
#pragma once

#include "skeleton.h"

#ifndef ALSO
#define ALSO(Table)
#endif

static VOID Describe(DXGK_ALLOCATIONINFO* Info);

static NTSTATUS CreateDescribed(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) Describe(&Args->pAllocationInfo[i]);
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateAllocation = CreateDescribed;
  ALSO(Table);
}
