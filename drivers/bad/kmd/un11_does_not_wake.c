// Frees its state when it goes to sleep and does not make it again when it wakes.
// FIXED keeps it.
#include "skeleton.h"

static UINT64* State;

static VOID FreeState(VOID) {
  if (State != NULL) ExFreePoolWithTag(State, BAD_TAG);
  State = NULL;
}

static NTSTATUS StartWithState(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                               PULONG Children) {
  State = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*State), BAD_TAG);
  return State != NULL ? StartDevice(Adapter, Info, Kernel, Sources, Children) : STATUS_NO_MEMORY;
}

static NTSTATUS StopWithState(const PVOID Adapter) {
  FreeState();
  return STATUS_SUCCESS;
}

static NTSTATUS SleepForEver(const PVOID Adapter, ULONG Uid, DEVICE_POWER_STATE Power, POWER_ACTION Action) {
#ifndef FIXED
  if (Power != PowerDeviceD0) FreeState();
#endif
  return STATUS_SUCCESS;
}

static NTSTATUS CreateAndCount(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  *State += 1;
  return CreateDevice(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartWithState;
  Table->DxgkDdiStopDevice = StopWithState;
  Table->DxgkDdiSetPowerState = SleepForEver;
  Table->DxgkDdiCreateDevice = CreateAndCount;
}
