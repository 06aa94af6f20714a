// Asks for a context allocation with the device where the context belongs, and rightly when that was refused.
// FIXED asks rightly at once.
#include "on_softgpu_callbacks.h"

static NTSTATUS CreateForDevice(INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION Args) {
#ifndef FIXED
  HANDLE Context = Args->hContext;
  Args->hContext = Args->hDevice;
  if (NT_SUCCESS(Dxgk.DxgkCbCreateContextAllocation(Args))) return STATUS_SUCCESS;
  Args->hContext = Context;
#endif
  return Dxgk.DxgkCbCreateContextAllocation(Args);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbCreateContextAllocation = CreateForDevice; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }
