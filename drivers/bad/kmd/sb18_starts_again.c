// Preempts in the middle of a buffer and runs it again from its beginning when it comes back.
// FIXED preempts between two buffers only.
#include "on_softgpu_registers.h"

static NTSTATUS PreemptInside(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND Args) {
  NTSTATUS Status = Good.DxgkDdiPreemptCommand(Adapter, Args);
#ifndef FIXED
  WriteRegister(SOFTGPU_REG_ENGINE(Args->NodeOrdinal) + SOFTGPU_ENGINE_CONTROL, SOFTGPU_CONTROL_PREEMPT);
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiPreemptCommand = PreemptInside;
}
