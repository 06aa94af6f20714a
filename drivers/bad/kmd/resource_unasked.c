// Makes a resource for allocations that belong to none: it is never destroyed.
// FIXED makes one when it is asked to.
#include "resources.h"

static NTSTATUS CreateWithResource(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateInResource(Adapter, Args);
#ifndef FIXED
  if (NT_SUCCESS(Status) && !Args->Flags.Resource) Args->hResource = Make();
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateAllocation = CreateWithResource;
  Table->DxgkDdiDestroyAllocation = DestroyInResource;
}
