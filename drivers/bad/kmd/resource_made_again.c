// Makes a resource anew whenever allocations are added to it, and forgets the one that it had.
// FIXED takes the one that it is given.
#include "resources.h"

static NTSTATUS CreateAnew(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
#ifndef FIXED
  Args->hResource = NULL;
#endif
  return CreateInResource(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateAllocation = CreateAnew;
  Table->DxgkDdiDestroyAllocation = DestroyInResource;
}
