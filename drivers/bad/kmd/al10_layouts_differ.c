// Describes standard allocations in another layout than it creates them from: who describes knows a version more.
// FIXED has one layout.
#include "skeleton.h"

typedef struct {
  UINT64 Bytes;
#ifndef FIXED
  UINT64 Version;
#endif
} DESCRIPTION;

static NTSTATUS DescribeAnew(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA Args) {
  NTSTATUS Status = GetStandardAllocationDriverData(Adapter, Args);
  Args->AllocationPrivateDriverDataSize = sizeof(DESCRIPTION);
  return Status;
}

static NTSTATUS CreateAsBefore(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    if (Args->pAllocationInfo[i].PrivateDriverDataSize != sizeof(UINT64)) return STATUS_GRAPHICS_DRIVER_MISMATCH;
  }
  return CreateAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiGetStandardAllocationDriverData = DescribeAnew;
  Table->DxgkDdiCreateAllocation = CreateAsBefore;
}
