// DriverEntry enters a critical region and never leaves it.
// FIXED leaves it.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  KeEnterCriticalRegion();
#ifdef FIXED
  KeLeaveCriticalRegion();
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
