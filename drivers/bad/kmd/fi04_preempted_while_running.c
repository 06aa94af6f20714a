// Reports a preemption as soon as it is asked for one, and lets the engine run on.
// FIXED reports it when the engine has stopped.
#include "on_softgpu_fences.h"

#ifndef FIXED
static BOOLEAN ReportPreempted(PVOID Raw) {
  const DXGKARG_PREEMPTCOMMAND* Args = Raw;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA Data = {.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED};
  Data.DmaPreempted.PreemptionFenceId = Args->PreemptionFenceId;
  Data.DmaPreempted.LastCompletedFenceId = Reported[Args->NodeOrdinal];
  Data.DmaPreempted.NodeOrdinal = Args->NodeOrdinal;
  Dxgk.DxgkCbNotifyInterrupt(Dxgk.DeviceHandle, &Data);
  return Dxgk.DxgkCbQueueDpc(Dxgk.DeviceHandle);
}
#endif

static VOID DpcAlways(const PVOID Adapter) { Dxgk.DxgkCbNotifyDpc(Dxgk.DeviceHandle); }

static NTSTATUS PreemptAtOnce(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_PREEMPTCOMMAND Args) {
#ifdef FIXED
  return Good.DxgkDdiPreemptCommand(Adapter, Args);
#else
  DXGKARG_PREEMPTCOMMAND Mine = *Args;
  BOOLEAN Queued;
  return Dxgk.DxgkCbSynchronizeExecution(Dxgk.DeviceHandle, ReportPreempted, &Mine, 0, &Queued);
#endif
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = NotifyAndNote; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiPreemptCommand = PreemptAtOnce;
  Table->DxgkDdiDpcRoutine = DpcAlways;
}
