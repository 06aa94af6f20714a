// Remembers in an allocation which device created it, and tells that device when the allocation is destroyed.
// FIXED counts for the adapter, to which allocations belong.
#include "views.h"

static NTSTATUS OpenAndRemember(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  NTSTATUS Status = OpenAllocation(Device, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && Args->Flags.Create && i < Args->NumAllocations; ++i) {
    *(HANDLE*)AllocationOf(Args->pOpenAllocation[i].hAllocation) = Device;
  }
  return Status;
}

static NTSTATUS DestroyAndTell(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
#ifdef FIXED
    LONG64* Destroyed = Adapter;
#else
    LONG64* Destroyed = *(HANDLE*)Args->pAllocationList[i];
    if (Destroyed == NULL) continue;
#endif
    InterlockedIncrement64(Destroyed);
  }
  return DestroyAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiOpenAllocation = OpenAndRemember;
  Table->DxgkDdiDestroyAllocation = DestroyAndTell;
}
