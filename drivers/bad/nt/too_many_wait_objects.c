// Waits for four events at once without wait blocks of its own: a thread has them for three.
// FIXED brings its own.
#include "skeleton.h"

#define EVENTS 4

static KEVENT Events[EVENTS];

static NTSTATUS Start(VOID) {
  PKWAIT_BLOCK Blocks = NULL;
  PVOID Objects[EVENTS];
  ULONG i;

  for (i = 0; i < EVENTS; i++) {
    KeInitializeEvent(&Events[i], NotificationEvent, TRUE);
    Objects[i] = &Events[i];
  }
#ifdef FIXED
  KWAIT_BLOCK Own[EVENTS];
  Blocks = Own;
#endif
  return KeWaitForMultipleObjects(EVENTS, Objects, WaitAll, Executive, KernelMode, FALSE, NULL, Blocks);
}

static VOID Stop(VOID) {}
