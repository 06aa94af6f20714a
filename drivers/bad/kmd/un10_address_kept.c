// Keeps the address of its registers over a stop and uses it when it is started again.
// FIXED forgets it.
#include "on_softgpu_callbacks.h"

static PULONG Kept;

static NTSTATUS MapAndKeep(HANDLE Adapter, PHYSICAL_ADDRESS Address, ULONG Length, BOOLEAN IoSpace, BOOLEAN User,
                           MEMORY_CACHING_TYPE Caching, PVOID* Mapping) {
  NTSTATUS Status = Dxgk.DxgkCbMapMemory(Adapter, Address, Length, IoSpace, User, Caching, Mapping);
  if (NT_SUCCESS(Status) && Kept == NULL) Kept = *Mapping;
  if (Kept != NULL) READ_REGISTER_ULONG(Kept);
  return Status;
}

static NTSTATUS UnmapAndForget(HANDLE Adapter, PVOID Mapping) {
#ifdef FIXED
  Kept = NULL;
#endif
  return Dxgk.DxgkCbUnmapMemory(Adapter, Mapping);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) {
  Kernel->DxgkCbMapMemory = MapAndKeep;
  Kernel->DxgkCbUnmapMemory = UnmapAndForget;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }
