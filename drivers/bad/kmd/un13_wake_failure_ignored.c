// Has no memory to wake up with, says that it is awake, and goes on as if it were.
// FIXED has kept the memory over the sleep.
#include "skeleton.h"

static UINT64* Ring;

static VOID FreeRing(VOID) {
  if (Ring != NULL) ExFreePoolWithTag(Ring, BAD_TAG);
  Ring = NULL;
}

static NTSTATUS MakeRing(VOID) {
  Ring = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Ring), BAD_TAG);
  return Ring != NULL ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS StartRing(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                          PULONG Children) {
  NTSTATUS Status = MakeRing();
  return NT_SUCCESS(Status) ? StartDevice(Adapter, Info, Kernel, Sources, Children) : Status;
}

static NTSTATUS StopRing(const PVOID Adapter) {
  FreeRing();
  return STATUS_SUCCESS;
}

static NTSTATUS SleepOrWake(const PVOID Adapter, ULONG Uid, DEVICE_POWER_STATE Power, POWER_ACTION Action) {
#ifndef FIXED
  if (Power != PowerDeviceD0) FreeRing();
  if (Power == PowerDeviceD0) MakeRing();
#endif
  return STATUS_SUCCESS;
}

static NTSTATUS CreateAndCount(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  *Ring += 1;
  return CreateDevice(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartRing;
  Table->DxgkDdiStopDevice = StopRing;
  Table->DxgkDdiSetPowerState = SleepOrWake;
  Table->DxgkDdiCreateDevice = CreateAndCount;
}
