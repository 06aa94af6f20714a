// Sets a flag of context allocations that has no meaning, and asks again without when that was refused.
// FIXED leaves it alone.
#include "on_softgpu_callbacks.h"

static NTSTATUS CreateWithFlag(INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION Args) {
#ifndef FIXED
  Args->ContextAllocationFlags.Reserved = 1;
  if (NT_SUCCESS(Dxgk.DxgkCbCreateContextAllocation(Args))) return STATUS_SUCCESS;
  Args->ContextAllocationFlags.Reserved = 0;
#endif
  return Dxgk.DxgkCbCreateContextAllocation(Args);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbCreateContextAllocation = CreateWithFlag; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }
