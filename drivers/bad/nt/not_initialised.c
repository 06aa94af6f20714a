// Sets an event that it has never initialised.
// FIXED initialises it.
#include "skeleton.h"

static KEVENT Ready;

static NTSTATUS Start(VOID) {
#ifdef FIXED
  KeInitializeEvent(&Ready, NotificationEvent, FALSE);
#endif
  KeSetEvent(&Ready, IO_NO_INCREMENT, FALSE);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
