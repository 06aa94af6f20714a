// Cannot reset an engine, says that it has, and names a fence as aborted that was never submitted.
// FIXED says that it cannot.
#include "on_softgpu.h"

static NTSTATUS ResetAndGuess(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_RESETENGINE Args) {
  NTSTATUS Status = Good.DxgkDdiResetEngine(Adapter, Args);
#ifndef FIXED
  if (!NT_SUCCESS(Status)) {
    Args->LastAbortedFenceId = 0x7FFFFFFF;
    return STATUS_SUCCESS;
  }
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiResetEngine = ResetAndGuess; }
