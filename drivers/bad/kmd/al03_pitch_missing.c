// Describes a surface that the CPU sees and does not say how long its rows are.
// FIXED says it.
#include "skeleton.h"

static NTSTATUS DescribeWithoutPitch(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA Args) {
  NTSTATUS Status = GetStandardAllocationDriverData(Adapter, Args);
#ifndef FIXED
  if (NT_SUCCESS(Status)) Args->pCreateGdiSurfaceData->Pitch = 0;
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiGetStandardAllocationDriverData = DescribeWithoutPitch;
}
