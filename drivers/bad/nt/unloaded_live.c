// Leaves a timer of its image armed when it is unloaded: the timer's DPC would run code that is gone.
// FIXED cancels the timer, and waits for a DPC that may be queued already.
#include "skeleton.h"

static KTIMER Timer;
static KDPC Dpc;
static LONG Ticks;

static VOID Tick(PKDPC Self, PVOID Context, PVOID Argument1, PVOID Argument2) {
  UNREFERENCED_PARAMETER(Self);
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(Argument1);
  UNREFERENCED_PARAMETER(Argument2);
  InterlockedIncrement(&Ticks);
}

static NTSTATUS Start(VOID) {
  KeInitializeTimer(&Timer);
  KeInitializeDpc(&Dpc, Tick, NULL);
  KeSetTimerEx(&Timer, Milliseconds(1000), 1000, &Dpc);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {
#ifdef FIXED
  KeCancelTimer(&Timer);
  KeFlushQueuedDpcs();
#endif
}
