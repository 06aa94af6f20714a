// Answers a preemption only where something was left to preempt: not when the last fence has completed meanwhile.
// FIXED always answers.
#include "on_softgpu_fences.h"

static VOID NotifyUnlessDone(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA Data) {
#ifndef FIXED
  if (Data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
      Data->DmaPreempted.LastCompletedFenceId == Submitted[Data->DmaPreempted.NodeOrdinal]) {
    return;
  }
#endif
  NotifyAndNote(Adapter, Data);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = NotifyUnlessDone; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiSubmitCommandVirtual = SubmitAndNote;
}
