// Has no memory for an allocation and says so with a code that DxgkDdiCreateAllocation may not return.
// FIXED takes the one that it may.
#include "skeleton.h"

static NTSTATUS CreateOrComplain(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
#ifndef FIXED
  if (Status == STATUS_NO_MEMORY) Status = STATUS_INSUFFICIENT_RESOURCES;
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateOrComplain; }
