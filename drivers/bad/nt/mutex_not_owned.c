// Releases a mutex that it does not own.
// FIXED acquires it first.
#include "skeleton.h"

static KMUTEX Mutex;

static NTSTATUS Start(VOID) {
  KeInitializeMutex(&Mutex, 0);
#ifdef FIXED
  WaitFor(&Mutex);
#endif
  KeReleaseMutex(&Mutex, FALSE);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
