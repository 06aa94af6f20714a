// Notes the number of allocations behind the end of a block that has room for the first sixteen.
// FIXED notes those only.
#include "on_softgpu.h"

#define ROOM 16

static ULONG* Sizes;

static NTSTATUS AddWithSizes(const PDEVICE_OBJECT Device, PVOID* Adapter) {
  Sizes = ExAllocatePool2(POOL_FLAG_NON_PAGED, ROOM * sizeof(ULONG), 'eziS');
  return Sizes != NULL ? Good.DxgkDdiAddDevice(Device, Adapter) : STATUS_NO_MEMORY;
}

static NTSTATUS RemoveSizes(const PVOID Adapter) {
  ExFreePoolWithTag(Sizes, 'eziS');
  return Good.DxgkDdiRemoveDevice(Adapter);
}

static NTSTATUS CreateAndNote(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  ULONG At = ROOM;
#ifdef FIXED
  At = ROOM - 1;
#endif
  ((volatile ULONG*)Sizes)[At] = Args->NumAllocations;
  return Good.DxgkDdiCreateAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiAddDevice = AddWithSizes;
  Table->DxgkDdiRemoveDevice = RemoveSizes;
  Table->DxgkDdiCreateAllocation = CreateAndNote;
}
