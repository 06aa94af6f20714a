// Its DPC forgets that the interrupt has something to tell after it has told: what came in between is lost.
// FIXED forgets it before.
#include "on_softgpu_callbacks.h"

static volatile LONG Pending;

static VOID NotifyAndMark(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA Data) {
  Dxgk.DxgkCbNotifyInterrupt(Adapter, Data);
  InterlockedExchange(&Pending, TRUE);
}

static VOID DpcIfPending(const PVOID Adapter) {
#ifdef FIXED
  if (!InterlockedExchange(&Pending, FALSE)) return;
#else
  if (!Pending) return;
#endif
  Dxgk.DxgkCbNotifyDpc(Dxgk.DeviceHandle);
  KeStallExecutionProcessor(10);  // books of its own
#ifndef FIXED
  Pending = FALSE;
#endif
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = NotifyAndMark; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiDpcRoutine = DpcIfPending;
}
