// Submits commands with code that may be paged out, at DISPATCH_LEVEL.
// FIXED keeps it resident.
#include "on_softgpu.h"

static NTSTATUS SubmitPaged(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMAND Args);
#ifndef FIXED
#pragma alloc_text(PAGE, SubmitPaged)
#endif

static NTSTATUS SubmitPaged(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMAND Args) {
  return Good.DxgkDdiSubmitCommand(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiSubmitCommand = SubmitPaged; }
