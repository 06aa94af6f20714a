// Uses rundown protection for a new object when the old one was not run down.
// FIXED waits for that.
#include "skeleton.h"

static EX_RUNDOWN_REF Rundown;

static NTSTATUS Start(VOID) {
  ExInitializeRundownProtection(&Rundown);
#ifdef FIXED
  ExWaitForRundownProtectionRelease(&Rundown);
#endif
  ExReInitializeRundownProtection(&Rundown);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
