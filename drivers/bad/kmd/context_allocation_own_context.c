// Names a context by its own object where the system's value belongs, and rightly when that was refused.
// FIXED names it rightly at once.
#include "on_softgpu_callbacks.h"

static NTSTATUS CreateForOwn(INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION Args) {
#ifndef FIXED
  HANDLE Context = Args->hContext;
  Args->hContext = Args->hDriverAllocation;
  if (NT_SUCCESS(Dxgk.DxgkCbCreateContextAllocation(Args))) return STATUS_SUCCESS;
  Args->hContext = Context;
#endif
  return Dxgk.DxgkCbCreateContextAllocation(Args);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbCreateContextAllocation = CreateForOwn; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }
