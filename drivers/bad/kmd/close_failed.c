// Tells after closing an allocation how many views it has left, with an error if there are none.
// FIXED keeps that to itself.
#include "skeleton.h"

static LONG Views;

static NTSTATUS OpenAndCount(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  NTSTATUS Status = OpenAllocation(Device, Args);
  if (NT_SUCCESS(Status)) InterlockedAdd(&Views, (LONG)Args->NumAllocations);
  return Status;
}

static NTSTATUS CloseAndCount(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_CLOSEALLOCATION Args) {
  LONG Left = InterlockedAdd(&Views, -(LONG)Args->NumAllocations);
  NTSTATUS Status = CloseAllocation(Device, Args);
#ifndef FIXED
  if (Left == 0) Status = STATUS_NO_MORE_ENTRIES;
#endif
  UNREFERENCED_PARAMETER(Left);
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiOpenAllocation = OpenAndCount;
  Table->DxgkDdiCloseAllocation = CloseAndCount;
}
