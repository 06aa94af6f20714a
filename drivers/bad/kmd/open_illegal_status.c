// Has no memory for a view and says so with a code that DxgkDdiOpenAllocation may not return.
// FIXED takes the one that it may.
#include "skeleton.h"

static NTSTATUS OpenOrComplain(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  NTSTATUS Status = OpenAllocation(Device, Args);
#ifndef FIXED
  if (Status == STATUS_NO_MEMORY) Status = STATUS_INSUFFICIENT_RESOURCES;
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiOpenAllocation = OpenOrComplain; }
