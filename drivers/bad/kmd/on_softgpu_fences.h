// For the drivers that look at fences: what was submitted and reported last, by node. Of the scheduler's calls one
// comes at a time; what is reported is written in the interrupt.
#pragma once

#include "on_softgpu_callbacks.h"

static volatile UINT Submitted[SOFTGPU_ENGINES];
static volatile UINT Reported[SOFTGPU_ENGINES];

// True: something that was submitted to the node is not done yet.
static inline BOOLEAN IsBusy(UINT Node) { return Submitted[Node] != Reported[Node]; }

static VOID NotifyAndNote(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA Data) {
  if (Data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
    Reported[Data->DmaCompleted.NodeOrdinal] = Data->DmaCompleted.SubmissionFenceId;
  } else if (Data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
    Reported[Data->DmaPreempted.NodeOrdinal] = Data->DmaPreempted.LastCompletedFenceId;
    Submitted[Data->DmaPreempted.NodeOrdinal] = Data->DmaPreempted.LastCompletedFenceId;
  }
  Dxgk.DxgkCbNotifyInterrupt(Adapter, Data);
}

static inline NTSTATUS SubmitAndNote(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL Args) {
  Submitted[Args->NodeOrdinal] = Args->SubmissionFenceId;
  return Good.DxgkDdiSubmitCommandVirtual(Adapter, Args);
}
