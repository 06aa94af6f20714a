// Gives a context allocation back to its own adapter object, and to the system's when that was refused.
// FIXED gives it back to the system's at once.
#include "on_softgpu_callbacks.h"

static PVOID OwnAdapter;

static NTSTATUS AddAndRemember(const PDEVICE_OBJECT Device, PVOID* Adapter) {
  NTSTATUS Status = Good.DxgkDdiAddDevice(Device, Adapter);
  OwnAdapter = *Adapter;
  return Status;
}

static NTSTATUS DestroyOnOwn(IN_CONST_HANDLE Adapter, IN_CONST_HANDLE Allocation) {
#ifndef FIXED
  if (NT_SUCCESS(Dxgk.DxgkCbDestroyContextAllocation(OwnAdapter, Allocation))) return STATUS_SUCCESS;
#endif
  return Dxgk.DxgkCbDestroyContextAllocation(Adapter, Allocation);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbDestroyContextAllocation = DestroyOnOwn; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiAddDevice = AddAndRemember;
  Table->DxgkDdiStartDevice = StartBetween;
}
