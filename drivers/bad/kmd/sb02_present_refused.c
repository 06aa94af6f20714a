// Refuses the commands of a present while the engine is busy.
// FIXED queues them.
#include "on_softgpu_fences.h"

static NTSTATUS SubmitPresent(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL Args) {
#ifndef FIXED
  if (Args->Flags.Present && IsBusy(Args->NodeOrdinal)) return STATUS_DEVICE_BUSY;
#endif
  return SubmitAndNote(Adapter, Args);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = NotifyAndNote; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiSubmitCommandVirtual = SubmitPresent;
}
