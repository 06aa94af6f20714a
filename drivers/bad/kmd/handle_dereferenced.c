// Takes the handle of an allocation that it opens for the address of its own object.
// FIXED asks whose handle it is.
#include "views.h"

static NTSTATUS OpenDirectly(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
#ifdef FIXED
    UINT64* Allocation = AllocationOf(Args->pOpenAllocation[i].hAllocation);
#else
    UINT64* Allocation = (PVOID)(ULONG_PTR)Args->pOpenAllocation[i].hAllocation;
#endif
    ++*Allocation;
  }
  return OpenAllocation(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiOpenAllocation = OpenDirectly; }
