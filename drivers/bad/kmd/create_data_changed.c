// Numbers the resources that it creates, in the private data that the application's driver sent.
// FIXED numbers them without writing it there.
#include "skeleton.h"

static LONG64 LastNumber;

static NTSTATUS CreateNumbered(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  LONG64 Number = InterlockedIncrement64(&LastNumber);
#ifndef FIXED
  if (Args->PrivateDriverDataSize == sizeof(Number)) *(LONG64*)Args->pPrivateDriverData = Number;
#endif
  UNREFERENCED_PARAMETER(Number);
  return CreateAllocation(Adapter, Args);
}

static NTSTATUS GetStandardData(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA Args) {
  NTSTATUS Status = GetStandardAllocationDriverData(Adapter, Args);
  Args->ResourcePrivateDriverDataSize = sizeof(LastNumber);
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateAllocation = CreateNumbered;
  Table->DxgkDdiGetStandardAllocationDriverData = GetStandardData;
}
