// Tells its thread to stop, and is unloaded without waiting until it has.
// FIXED waits.
#include "skeleton.h"

static KEVENT Leave;
static PVOID Thread;

static VOID Worker(PVOID Context) {
  UNREFERENCED_PARAMETER(Context);
  WaitFor(&Leave);
  Sleep(100);  // tidies up
}

static NTSTATUS Start(VOID) {
  KeInitializeEvent(&Leave, NotificationEvent, FALSE);
  return StartThread(Worker, NULL, &Thread);
}

static VOID Stop(VOID) {
  KeSetEvent(&Leave, IO_NO_INCREMENT, FALSE);
#ifdef FIXED
  JoinThread(Thread);
#else
  ObDereferenceObject(Thread);
#endif
}
