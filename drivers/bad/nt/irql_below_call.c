// A DPC routine lowers the IRQL to PASSIVE_LEVEL for a while.
// FIXED stays at the IRQL at which it was called.
#include "skeleton.h"

static KDPC Dpc;
static ULONG Runs;

static VOID Run(PKDPC This, PVOID Context, PVOID Argument1, PVOID Argument2) {
#ifndef FIXED
  KIRQL Old;
#endif

  UNREFERENCED_PARAMETER(This);
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(Argument1);
  UNREFERENCED_PARAMETER(Argument2);
#ifndef FIXED
  KeLowerIrql(PASSIVE_LEVEL);
#endif
  Runs++;
#ifndef FIXED
  KeRaiseIrql(DISPATCH_LEVEL, &Old);
#endif
}

static NTSTATUS Start(VOID) {
  KeInitializeDpc(&Dpc, Run, NULL);
  KeInsertQueueDpc(&Dpc, NULL, NULL);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) { KeFlushQueuedDpcs(); }
