// Reports a page fault of the first paging buffer, and then that it has completed.
// FIXED reports only that.
#include "on_softgpu_callbacks.h"

static volatile LONG FirstPagingFence;  // 0: none was submitted yet

static NTSTATUS SubmitAndRemember(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL Args) {
  if (Args->Flags.Paging) InterlockedCompareExchange(&FirstPagingFence, (LONG)Args->SubmissionFenceId, 0);
  return Good.DxgkDdiSubmitCommandVirtual(Adapter, Args);
}

static VOID NotifyWithFault(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA Data) {
#ifndef FIXED
  if (Data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED && Data->DmaCompleted.NodeOrdinal == SOFTGPU_ENGINE_COPY &&
      Data->DmaCompleted.SubmissionFenceId == (UINT)FirstPagingFence) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA Fault = {.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED};
    Fault.DmaPageFaulted.FaultedFenceId = Data->DmaCompleted.SubmissionFenceId;
    Fault.DmaPageFaulted.NodeOrdinal = SOFTGPU_ENGINE_COPY;
    Dxgk.DxgkCbNotifyInterrupt(Adapter, &Fault);
  }
#endif
  Dxgk.DxgkCbNotifyInterrupt(Adapter, Data);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = NotifyWithFault; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiSubmitCommandVirtual = SubmitAndRemember;
}
