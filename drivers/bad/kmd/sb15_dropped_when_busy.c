// Drops commands that come while the engine is busy, and completes their fence all the same.
// FIXED queues them.
#include "on_softgpu_fences.h"

static NTSTATUS SubmitOrDrop(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL Args) {
  DXGKARG_SUBMITCOMMANDVIRTUAL Mine = *Args;
#ifndef FIXED
  if (!Args->Flags.Paging && IsBusy(Args->NodeOrdinal)) Mine.DmaBufferSize = 0;
#endif
  return SubmitAndNote(Adapter, &Mine);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = NotifyAndNote; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiSubmitCommandVirtual = SubmitOrDrop;
}
