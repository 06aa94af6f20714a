// Does not preempt: what runs runs to its end, and the preemption is not reported.
// FIXED preempts.
#include "on_softgpu.h"

static NTSTATUS LetRun(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND Args) {
#ifdef FIXED
  return Good.DxgkDdiPreemptCommand(Adapter, Args);
#else
  return STATUS_SUCCESS;
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiPreemptCommand = LetRun; }
