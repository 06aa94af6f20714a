// Polls a flag that is never set, and calls the kernel in between: it is not a loop that only burns its processor,
// and nothing comes of it all the same.
// FIXED gives up after a while.
#include "skeleton.h"

static volatile LONG Ready;

static NTSTATUS Start(VOID) {
  ULONG Tries = 0;

  while (Ready == 0) {
    KeStallExecutionProcessor(1);
    Tries++;
#ifdef FIXED
    if (Tries == 1000) break;
#endif
  }
  DbgPrint("tried %u times\n", Tries);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
