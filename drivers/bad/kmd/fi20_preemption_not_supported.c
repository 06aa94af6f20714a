// Preempts, and says that it cannot.
// FIXED says that it has.
#include "on_softgpu.h"

static NTSTATUS PreemptAndDeny(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND Args) {
  NTSTATUS Status = Good.DxgkDdiPreemptCommand(Adapter, Args);
#ifndef FIXED
  Status = STATUS_NOT_SUPPORTED;
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiPreemptCommand = PreemptAndDeny; }
