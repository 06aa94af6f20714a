// Maps a page of its device's memory at every start and never unmaps it.
// FIXED unmaps it when the device is stopped.
#include "on_softgpu_callbacks.h"

static PVOID Page;

static NTSTATUS MapOneMore(HANDLE Adapter, PHYSICAL_ADDRESS Address, ULONG Length, BOOLEAN IoSpace, BOOLEAN User,
                           MEMORY_CACHING_TYPE Caching, PVOID* Mapping) {
  NTSTATUS Status = Dxgk.DxgkCbMapMemory(Adapter, Address, Length, IoSpace, User, Caching, Mapping);
  Page = NULL;
  if (NT_SUCCESS(Status)) Dxgk.DxgkCbMapMemory(Adapter, Address, PAGE_SIZE, IoSpace, User, Caching, &Page);
  return Status;
}

static NTSTATUS UnmapOneMore(HANDLE Adapter, PVOID Mapping) {
#ifdef FIXED
  if (Page != NULL) Dxgk.DxgkCbUnmapMemory(Adapter, Page);
#endif
  return Dxgk.DxgkCbUnmapMemory(Adapter, Mapping);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) {
  Kernel->DxgkCbMapMemory = MapOneMore;
  Kernel->DxgkCbUnmapMemory = UnmapOneMore;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }
