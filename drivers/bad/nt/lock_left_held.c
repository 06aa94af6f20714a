// DriverEntry returns with a mutex held.
// FIXED releases it.
#include "skeleton.h"

static KMUTEX Mutex;

static NTSTATUS Start(VOID) {
  KeInitializeMutex(&Mutex, 0);
  WaitFor(&Mutex);
#ifdef FIXED
  KeReleaseMutex(&Mutex, FALSE);
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
