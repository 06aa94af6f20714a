// Initialises a timer again while it is armed.
// FIXED cancels it in between.
#include "skeleton.h"

static KTIMER Timer;

static NTSTATUS Start(VOID) {
  KeInitializeTimer(&Timer);
  KeSetTimer(&Timer, Milliseconds(60000), NULL);
#ifdef FIXED
  KeCancelTimer(&Timer);
#endif
  KeInitializeTimer(&Timer);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) { KeCancelTimer(&Timer); }
