// Has a DPC of its own in the place of the one that DxgkCbQueueDpc queues.
// FIXED has that one.
#include "on_softgpu_callbacks.h"

static KDPC Own;

static VOID OwnRoutine(PKDPC Dpc, PVOID Context, PVOID First, PVOID Second) { Dxgk.DxgkCbNotifyDpc(Dxgk.DeviceHandle); }

static BOOLEAN QueueOwn(IN_CONST_HANDLE Adapter) {
#ifdef FIXED
  return Dxgk.DxgkCbQueueDpc(Adapter);
#else
  return KeInsertQueueDpc(&Own, NULL, NULL);
#endif
}

static NTSTATUS StopAndFlush(const PVOID Adapter) {
  NTSTATUS Status = Good.DxgkDdiStopDevice(Adapter);
  KeFlushQueuedDpcs();
  return Status;
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) {
  KeInitializeDpc(&Own, OwnRoutine, NULL);
  Kernel->DxgkCbQueueDpc = QueueOwn;
}
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiStopDevice = StopAndFlush;
}
