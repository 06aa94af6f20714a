// Counts its allocations without a lock, although several processes create and destroy at the same time.
// FIXED counts with one instruction.
#include "skeleton.h"

static LONG Count;

static NTSTATUS CreateCounted(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  if (NT_SUCCESS(Status)) InterlockedAdd(&Count, (LONG)Args->NumAllocations);
  return Status;
}

static NTSTATUS DestroyCounted(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
#ifdef FIXED
  InterlockedAdd(&Count, -(LONG)Args->NumAllocations);
  return DestroyAllocation(Adapter, Args);
#else
  LONG Left = Count - (LONG)Args->NumAllocations;
  DestroyAllocation(Adapter, Args);
  Count = Left;
  return STATUS_SUCCESS;
#endif
}

static NTSTATUS StopEmpty(const PVOID Adapter) {
  NT_ASSERT(Count == 0);
  return StopDevice(Adapter);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateAllocation = CreateCounted;
  Table->DxgkDdiDestroyAllocation = DestroyCounted;
  Table->DxgkDdiStopDevice = StopEmpty;
}
