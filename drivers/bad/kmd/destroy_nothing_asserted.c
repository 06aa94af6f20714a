// Is sure that something is destroyed whenever it is told to destroy.
// FIXED knows that a resource may have lost its allocations before.
#include "skeleton.h"

static NTSTATUS DestroySomething(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
#ifdef FIXED
  NT_ASSERT(Args->NumAllocations != 0 || Args->Flags.DestroyResource);
#else
  NT_ASSERT(Args->NumAllocations != 0);
#endif
  return DestroyAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiDestroyAllocation = DestroySomething; }
