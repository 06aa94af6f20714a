// Has nothing to destroy when it is told about a resource alone, and says that this was wrong.
// FIXED accepts it.
#include "skeleton.h"

static NTSTATUS DestroySome(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
#ifndef FIXED
  if (Args->NumAllocations == 0) return STATUS_INVALID_PARAMETER;
#endif
  return DestroyAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiDestroyAllocation = DestroySome; }
