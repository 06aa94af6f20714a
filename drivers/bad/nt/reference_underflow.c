// Gives back a reference to a thread twice.
// FIXED gives it back once.
#include "skeleton.h"

static PVOID Thread;

static VOID Worker(PVOID Context) { UNREFERENCED_PARAMETER(Context); }

static NTSTATUS Start(VOID) { return StartThread(Worker, NULL, &Thread); }

static VOID Stop(VOID) {
  JoinThread(Thread);
#ifndef FIXED
  ObDereferenceObject(Thread);
#endif
}
