// Counts in a resource's private data how often it was opened.
// FIXED only reads it.
#include "skeleton.h"

static UINT64 LastCount;

static NTSTATUS OpenAndCount(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  UINT64* Count = Args->pPrivateDriverData;
  if (Args->PrivateDriverSize == sizeof(*Count)) {
#ifndef FIXED
    ++*Count;
#endif
    LastCount = *Count;
  }
  return OpenAllocation(Device, Args);
}

static NTSTATUS GetStandardData(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA Args) {
  UINT64* Count = Args->pResourcePrivateDriverData;
  NTSTATUS Status = GetStandardAllocationDriverData(Adapter, Args);
  Args->ResourcePrivateDriverDataSize = sizeof(*Count);
  if (Count != NULL) *Count = 0;
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiOpenAllocation = OpenAndCount;
  Table->DxgkDdiGetStandardAllocationDriverData = GetStandardData;
}
