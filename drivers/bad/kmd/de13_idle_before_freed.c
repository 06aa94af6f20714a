// Counts a completion as done before it has put its buffer back, so that a stop finds nothing under way and frees the
// list the buffer goes to.
// FIXED counts it when that is done.
#include "on_softgpu_callbacks.h"

typedef struct LIST {
  volatile LONG Buffers;
} LIST;

static LIST* volatile List;
static volatile LONG UnderWay;

static VOID DpcAndPutBack(const PVOID Adapter) {
  LIST* To;
  InterlockedIncrement(&UnderWay);
  To = List;
  Good.DxgkDdiDpcRoutine(Adapter);
#ifndef FIXED
  InterlockedDecrement(&UnderWay);
#endif
  KeStallExecutionProcessor(10);
  if (To != NULL) To->Buffers += 1;
#ifdef FIXED
  InterlockedDecrement(&UnderWay);
#endif
}

// There may be a buffer to put back, whichever device interrupted.
static BOOLEAN InterruptAndDefer(const PVOID Adapter, ULONG Message) {
  BOOLEAN Mine = Good.DxgkDdiInterruptRoutine(Adapter, Message);
  if (List != NULL && Dxgk.DxgkCbQueueDpc != NULL) Dxgk.DxgkCbQueueDpc(Dxgk.DeviceHandle);
  return Mine;
}

static NTSTATUS StartWithList(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                              PULONG Children) {
  NTSTATUS Status = StartBetween(Adapter, Info, Kernel, Sources, Children);
  if (NT_SUCCESS(Status)) List = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(LIST), 'tsiL');
  return Status;
}

static NTSTATUS StopWhenIdle(const PVOID Adapter) {
  LIST* Gone = List;
  LARGE_INTEGER Moment = {.QuadPart = -100};
  NTSTATUS Status = Good.DxgkDdiStopDevice(Adapter);
  List = NULL;
  while (UnderWay != 0) KeDelayExecutionThread(KernelMode, FALSE, &Moment);
  if (Gone != NULL) ExFreePoolWithTag(Gone, 'tsiL');
  return Status;
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) {}
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartWithList;
  Table->DxgkDdiStopDevice = StopWhenIdle;
  Table->DxgkDdiInterruptRoutine = InterruptAndDefer;
  Table->DxgkDdiDpcRoutine = DpcAndPutBack;
}
