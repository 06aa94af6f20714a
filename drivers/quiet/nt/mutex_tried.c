// Takes two mutexes in one order on one thread, and only tries the second on the other thread: a wait that has a timeout
// is no part of a deadlock.
#include "skeleton.h"

static KMUTEX First, Second;
static PVOID Both, Trier;

static VOID TakeBoth(PVOID Context) {
  UNREFERENCED_PARAMETER(Context);
  WaitFor(&First);
  WaitFor(&Second);
  KeReleaseMutex(&Second, FALSE);
  KeReleaseMutex(&First, FALSE);
  PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID TakeSecondAndTry(PVOID Context) {
  LARGE_INTEGER Now = {.QuadPart = 0}, Soon = Milliseconds(1);
  UNREFERENCED_PARAMETER(Context);
  WaitFor(&Second);
  if (KeWaitForSingleObject(&First, Executive, KernelMode, FALSE, &Now) == STATUS_SUCCESS) {
    KeReleaseMutex(&First, FALSE);
  }
  if (KeWaitForSingleObject(&First, Executive, KernelMode, FALSE, &Soon) == STATUS_SUCCESS) {
    KeReleaseMutex(&First, FALSE);
  }
  KeReleaseMutex(&Second, FALSE);
  PsTerminateSystemThread(STATUS_SUCCESS);
}

static NTSTATUS Start(VOID) {
  NTSTATUS Status;
  KeInitializeMutex(&First, 0);
  KeInitializeMutex(&Second, 0);
  Status = StartThread(TakeBoth, NULL, &Both);
  if (!NT_SUCCESS(Status)) return Status;
  Status = StartThread(TakeSecondAndTry, NULL, &Trier);
  if (!NT_SUCCESS(Status)) JoinThread(Both);
  return Status;
}

static VOID Stop(VOID) {
  JoinThread(Both);
  JoinThread(Trier);
}
