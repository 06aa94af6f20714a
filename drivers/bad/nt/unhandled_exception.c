// Calls a function that raises an exception, and has no handler for it.
// FIXED has one.
#include "skeleton.h"

static VOID CheckLength(ULONG Length) {
  if (Length > 16) ExRaiseStatus(STATUS_INVALID_PARAMETER);
}

static NTSTATUS Start(VOID) {
#ifdef FIXED
  __try {
    CheckLength(17);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    DbgPrint("exception %08x handled\n", GetExceptionCode());
  }
#else
  CheckLength(17);
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
