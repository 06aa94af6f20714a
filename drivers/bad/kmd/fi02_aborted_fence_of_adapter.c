// Keeps one last fence for the whole adapter and names it as aborted, whichever engine was reset.
// FIXED has one for each engine.
#include "on_softgpu.h"

static volatile UINT LastOfAll;

static NTSTATUS SubmitAndRemember(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL Args) {
  if (Args->SubmissionFenceId > LastOfAll) LastOfAll = Args->SubmissionFenceId;
  return Good.DxgkDdiSubmitCommandVirtual(Adapter, Args);
}

static NTSTATUS ResetAndName(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_RESETENGINE Args) {
  NTSTATUS Status = Good.DxgkDdiResetEngine(Adapter, Args);
#ifndef FIXED
  Args->LastAbortedFenceId = LastOfAll;
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiSubmitCommandVirtual = SubmitAndRemember;
  Table->DxgkDdiResetEngine = ResetAndName;
}
