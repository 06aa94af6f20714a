// Tells the scheduler in its DPC what the interrupt was about.
// FIXED tells it in the interrupt.
#include "on_softgpu_callbacks.h"

#define MOST 64

static DXGKARGCB_NOTIFY_INTERRUPT_DATA Kept[MOST];
static volatile LONG Put, Taken;

static VOID KeepForLater(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA Data) {
#ifdef FIXED
  Dxgk.DxgkCbNotifyInterrupt(Adapter, Data);
#else
  Kept[Put % MOST] = *Data;
  InterlockedIncrement(&Put);
#endif
}

static VOID DpcForAll(const PVOID Adapter) {
  while (Taken != Put) {
    Dxgk.DxgkCbNotifyInterrupt(Dxgk.DeviceHandle, &Kept[Taken % MOST]);
    InterlockedIncrement(&Taken);
  }
  Dxgk.DxgkCbNotifyDpc(Dxgk.DeviceHandle);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = KeepForLater; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiDpcRoutine = DpcForAll;
}
