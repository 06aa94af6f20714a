// Frees what its own DPC writes to, and waits for queued DPCs after that.
// FIXED waits first.
#include "skeleton.h"

static KDPC Dpc;
static UINT64* State;

static VOID Count(PKDPC Own, PVOID Context, PVOID Argument1, PVOID Argument2) { *State += 1; }

static NTSTATUS StartCounting(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                              PULONG Children) {
  State = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*State), BAD_TAG);
  return State != NULL ? StartDevice(Adapter, Info, Kernel, Sources, Children) : STATUS_NO_MEMORY;
}

static NTSTATUS StopCounting(const PVOID Adapter) {
  KIRQL OldIrql;
  KeRaiseIrql(DISPATCH_LEVEL, &OldIrql);
  KeInsertQueueDpc(&Dpc, NULL, NULL);
#ifndef FIXED
  ExFreePoolWithTag(State, BAD_TAG);
#endif
  KeLowerIrql(OldIrql);
  KeFlushQueuedDpcs();
#ifdef FIXED
  ExFreePoolWithTag(State, BAD_TAG);
#endif
  return STATUS_SUCCESS;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  KeInitializeDpc(&Dpc, Count, NULL);
  Table->DxgkDdiStartDevice = StartCounting;
  Table->DxgkDdiStopDevice = StopCounting;
}
