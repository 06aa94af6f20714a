// Gets a second context allocation for every context, and forgets it.
// FIXED gives it back at once.
#include "on_softgpu_callbacks.h"

static NTSTATUS CreateTwo(INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION Args) {
  DXGKARGCB_CREATECONTEXTALLOCATION Second = *Args;
  NTSTATUS Status;
  Second.hDriverAllocation = NULL;
  Status = Dxgk.DxgkCbCreateContextAllocation(&Second);
  if (!NT_SUCCESS(Status)) return Status;
#ifdef FIXED
  Dxgk.DxgkCbDestroyContextAllocation(Second.hAdapter, Second.hAllocation);
#endif
  return Dxgk.DxgkCbCreateContextAllocation(Args);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbCreateContextAllocation = CreateTwo; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }
