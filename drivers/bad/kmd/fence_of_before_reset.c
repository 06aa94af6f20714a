// Reports what ran before a reset of the adapter once more, when something of after it is done.
// FIXED knows that all of it counts as done.
#include "on_softgpu_callbacks.h"

static volatile LONG Stale;
static UINT Last;  // of node 0; written in the interrupt

static NTSTATUS ResetAndRemember(IN_CONST_HANDLE Adapter) {
#ifndef FIXED
  Stale = TRUE;
#endif
  return Good.DxgkDdiResetFromTimeout(Adapter);
}

static VOID NotifyStale(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA Data) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA Old = *Data;
  if (Data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED && Data->DmaCompleted.NodeOrdinal == 0) {
    Old.DmaCompleted.SubmissionFenceId = Last;
    if (InterlockedExchange(&Stale, FALSE)) Dxgk.DxgkCbNotifyInterrupt(Adapter, &Old);
    Last = Data->DmaCompleted.SubmissionFenceId;
  }
  Dxgk.DxgkCbNotifyInterrupt(Adapter, Data);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = NotifyStale; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiResetFromTimeout = ResetAndRemember;
}
