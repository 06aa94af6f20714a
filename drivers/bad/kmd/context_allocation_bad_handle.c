// Destroys every context allocation twice.
// FIXED destroys it once.
#include "on_softgpu_callbacks.h"

static NTSTATUS DestroyTwice(IN_CONST_HANDLE Adapter, IN_CONST_HANDLE Allocation) {
  NTSTATUS Status = Dxgk.DxgkCbDestroyContextAllocation(Adapter, Allocation);
#ifndef FIXED
  Dxgk.DxgkCbDestroyContextAllocation(Adapter, Allocation);
#endif
  return Status;
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbDestroyContextAllocation = DestroyTwice; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }
