// Reports each fence twice.
// FIXED reports it once.
#include "on_softgpu_callbacks.h"

static VOID NotifyTwice(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA Data) {
  Dxgk.DxgkCbNotifyInterrupt(Adapter, Data);
#ifndef FIXED
  if (Data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) Dxgk.DxgkCbNotifyInterrupt(Adapter, Data);
#endif
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = NotifyTwice; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }
