// Spins on a flag that is never set.
// FIXED gives up after a while.
#include "skeleton.h"

static volatile LONG Ready;

static NTSTATUS Start(VOID) {
  ULONG Tries = 0;

  while (Ready == 0) {
    YieldProcessor();
    Tries++;
#ifdef FIXED
    if (Tries == 1000) break;
#endif
  }
  DbgPrint("tried %u times\n", Tries);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
