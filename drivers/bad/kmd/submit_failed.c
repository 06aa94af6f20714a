// Refuses commands that it has checked before.
// FIXED takes them.
#include "on_softgpu.h"

static NTSTATUS SubmitOrRefuse(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMAND Args) {
#ifndef FIXED
  if (!Args->Flags.Paging) return STATUS_NO_MEMORY;
#endif
  return Good.DxgkDdiSubmitCommand(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiSubmitCommand = SubmitOrRefuse; }
