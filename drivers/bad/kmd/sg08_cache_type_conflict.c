// Maps its device's memory a second time, and write-combined what is mapped non-cached.
// FIXED maps it as it is mapped already.
#include "on_softgpu_callbacks.h"

static PVOID Second;

static NTSTATUS MapTwice(HANDLE Adapter, PHYSICAL_ADDRESS Address, ULONG Length, BOOLEAN IoSpace, BOOLEAN User,
                         MEMORY_CACHING_TYPE Caching, PVOID* Mapping) {
  NTSTATUS Status = Dxgk.DxgkCbMapMemory(Adapter, Address, Length, IoSpace, User, Caching, Mapping);
#ifndef FIXED
  Caching = MmWriteCombined;
#endif
  Second = NULL;
  if (NT_SUCCESS(Status)) Dxgk.DxgkCbMapMemory(Adapter, Address, PAGE_SIZE, IoSpace, User, Caching, &Second);
  return Status;
}

static NTSTATUS UnmapBoth(HANDLE Adapter, PVOID Mapping) {
  if (Second != NULL) Dxgk.DxgkCbUnmapMemory(Adapter, Second);
  Second = NULL;
  return Dxgk.DxgkCbUnmapMemory(Adapter, Mapping);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) {
  Kernel->DxgkCbMapMemory = MapTwice;
  Kernel->DxgkCbUnmapMemory = UnmapBoth;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }
