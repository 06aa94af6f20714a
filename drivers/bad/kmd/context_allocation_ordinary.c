// Gives the memory of ordinary allocations back as if it were that of a context.
// FIXED leaves it to the system.
#include "skeleton.h"

static NTSTATUS DestroyMemory(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
#ifndef FIXED
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    Dxgk.DxgkCbDestroyContextAllocation(Dxgk.DeviceHandle, Args->pAllocationList[i]);
  }
#endif
  return DestroyAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiDestroyAllocation = DestroyMemory; }
