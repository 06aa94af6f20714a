// Destroys a context allocation by the handle that it gave to it itself, and rightly when that was refused.
// FIXED takes the one that it was given.
#include "on_softgpu_callbacks.h"

static HANDLE OwnHandle;

static NTSTATUS CreateAndRemember(INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION Args) {
  OwnHandle = Args->hDriverAllocation;
  return Dxgk.DxgkCbCreateContextAllocation(Args);
}

static NTSTATUS DestroyByOwn(IN_CONST_HANDLE Adapter, IN_CONST_HANDLE Allocation) {
#ifndef FIXED
  if (NT_SUCCESS(Dxgk.DxgkCbDestroyContextAllocation(Adapter, OwnHandle))) return STATUS_SUCCESS;
#endif
  return Dxgk.DxgkCbDestroyContextAllocation(Adapter, Allocation);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) {
  Kernel->DxgkCbCreateContextAllocation = CreateAndRemember;
  Kernel->DxgkCbDestroyContextAllocation = DestroyByOwn;
}
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }
