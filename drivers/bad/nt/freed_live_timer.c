// Frees a block with an armed timer in it.
// FIXED cancels the timer first.
#include "skeleton.h"

static PKTIMER Timer;

static NTSTATUS Start(VOID) {
  Timer = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KTIMER), BAD_TAG);
  if (Timer == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  KeInitializeTimer(Timer);
  KeSetTimer(Timer, Milliseconds(60000), NULL);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {
#ifdef FIXED
  KeCancelTimer(Timer);
#endif
  ExFreePoolWithTag(Timer, BAD_TAG);
}
