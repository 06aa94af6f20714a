// Reports a page fault with the fence of its packet as one of a packet that is not known, and then as it was.
// FIXED reports it as it was.
#include "on_softgpu_callbacks.h"

static VOID NotifyUnknown(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA Data) {
#ifndef FIXED
  if (Data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA Unknown = *Data;
    Unknown.DmaPageFaulted.PageFaultFlags |= DXGK_PAGE_FAULT_FENCE_INVALID;
    Dxgk.DxgkCbNotifyInterrupt(Adapter, &Unknown);
  }
#endif
  Dxgk.DxgkCbNotifyInterrupt(Adapter, Data);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = NotifyUnknown; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }
