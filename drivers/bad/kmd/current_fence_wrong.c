// Does not know which fence was completed last, and answers 0.
// FIXED asks the hardware.
#include "on_softgpu.h"

static NTSTATUS AnswerNone(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_QUERYCURRENTFENCE Args) {
#ifdef FIXED
  return Good.DxgkDdiQueryCurrentFence(Adapter, Args);
#else
  Args->CurrentFence = 0;
  return STATUS_SUCCESS;
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiQueryCurrentFence = AnswerNone; }
