// Reports the fence of an empty submission from within DxgkDdiSubmitCommandVirtual, before what was submitted earlier.
// FIXED puts it into the ring like any other.
#include "on_softgpu_callbacks.h"

#ifndef FIXED
static BOOLEAN Complete(PVOID Raw) {
  const DXGKARG_SUBMITCOMMANDVIRTUAL* Args = Raw;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA Data = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
  Data.DmaCompleted.SubmissionFenceId = Args->SubmissionFenceId;
  Data.DmaCompleted.NodeOrdinal = Args->NodeOrdinal;
  Dxgk.DxgkCbNotifyInterrupt(Dxgk.DeviceHandle, &Data);
  return Dxgk.DxgkCbQueueDpc(Dxgk.DeviceHandle);
}
#endif

static VOID DpcAlways(const PVOID Adapter) { Dxgk.DxgkCbNotifyDpc(Dxgk.DeviceHandle); }

static NTSTATUS SubmitOrComplete(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL Args) {
#ifndef FIXED
  if (Args->DmaBufferSize == 0) {
    DXGKARG_SUBMITCOMMANDVIRTUAL Mine = *Args;
    BOOLEAN Queued;
    return Dxgk.DxgkCbSynchronizeExecution(Dxgk.DeviceHandle, Complete, &Mine, 0, &Queued);
  }
#endif
  return Good.DxgkDdiSubmitCommandVirtual(Adapter, Args);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) {}
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiSubmitCommandVirtual = SubmitOrComplete;
  Table->DxgkDdiDpcRoutine = DpcAlways;
}
