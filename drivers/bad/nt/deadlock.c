// The unload routine waits for a thread that waits for an event that is never set.
// FIXED sets it.
#include "skeleton.h"

static KEVENT Leave;
static PVOID Thread;

static VOID Worker(PVOID Context) {
  UNREFERENCED_PARAMETER(Context);
  WaitFor(&Leave);
}

static NTSTATUS Start(VOID) {
  KeInitializeEvent(&Leave, NotificationEvent, FALSE);
  return StartThread(Worker, NULL, &Thread);
}

static VOID Stop(VOID) {
#ifdef FIXED
  KeSetEvent(&Leave, IO_NO_INCREMENT, FALSE);
#endif
  JoinThread(Thread);
}
