// Leaves its timer armed when it goes to sleep and frees the queue that the timer looks at.
// FIXED cancels the timer and lets its DPC end.
#include "skeleton.h"

static KTIMER Timer;
static KDPC Dpc;
static UINT64* Queue;

static VOID Poll(PKDPC Own, PVOID Context, PVOID Argument1, PVOID Argument2) { *Queue += 1; }

static NTSTATUS Awake(VOID) {
  LARGE_INTEGER Soon = {.QuadPart = -10000};
  Queue = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Queue), BAD_TAG);
  if (Queue == NULL) return STATUS_NO_MEMORY;
  KeSetTimerEx(&Timer, Soon, 10, &Dpc);
  return STATUS_SUCCESS;
}

static VOID StopTimer(VOID) {
  KeCancelTimer(&Timer);
  KeFlushQueuedDpcs();
}

static VOID FreeQueue(VOID) {
  if (Queue != NULL) ExFreePoolWithTag(Queue, BAD_TAG);
}

static NTSTATUS StartPolling(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                             PULONG Children) {
  NTSTATUS Status = Awake();
  return NT_SUCCESS(Status) ? StartDevice(Adapter, Info, Kernel, Sources, Children) : Status;
}

static NTSTATUS StopPolling(const PVOID Adapter) {
  StopTimer();
  FreeQueue();
  Queue = NULL;
  return STATUS_SUCCESS;
}

static NTSTATUS SleepOrWake(const PVOID Adapter, ULONG Uid, DEVICE_POWER_STATE State, POWER_ACTION Action) {
  if (State == PowerDeviceD0) {
    Awake();
    return STATUS_SUCCESS;
  }
#ifdef FIXED
  StopPolling(Adapter);
#else
  FreeQueue();
#endif
  return STATUS_SUCCESS;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  KeInitializeTimer(&Timer);
  KeInitializeDpc(&Dpc, Poll, NULL);
  Table->DxgkDdiStartDevice = StartPolling;
  Table->DxgkDdiStopDevice = StopPolling;
  Table->DxgkDdiSetPowerState = SleepOrWake;
}
