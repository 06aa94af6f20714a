// Frees the queue of its device when that is stopped, while a DPC that looks at it waits to run.
// FIXED lets the DPC run first.
#include "skeleton.h"

static UINT64* Queue;

static NTSTATUS StartQueue(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                           PULONG Children) {
  Queue = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Queue), BAD_TAG);
  return Queue != NULL ? StartDevice(Adapter, Info, Kernel, Sources, Children) : STATUS_NO_MEMORY;
}

static VOID LookAtQueue(const PVOID Adapter) { *Queue += 1; }

// The last interrupt of the device has come just now.
static NTSTATUS StopQueue(const PVOID Adapter) {
  KIRQL OldIrql;
  KeRaiseIrql(DISPATCH_LEVEL, &OldIrql);
  Dxgk.DxgkCbQueueDpc(Dxgk.DeviceHandle);
#ifdef FIXED
  KeLowerIrql(OldIrql);
  KeFlushQueuedDpcs();
  ExFreePoolWithTag(Queue, BAD_TAG);
#else
  ExFreePoolWithTag(Queue, BAD_TAG);
  KeLowerIrql(OldIrql);
#endif
  return STATUS_SUCCESS;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartQueue;
  Table->DxgkDdiStopDevice = StopQueue;
  Table->DxgkDdiDpcRoutine = LookAtQueue;
}
