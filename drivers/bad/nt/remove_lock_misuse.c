// Releases a remove lock more often than it acquired it.
// FIXED releases it once.
#include "skeleton.h"

static IO_REMOVE_LOCK Lock;

static NTSTATUS Start(VOID) {
  NTSTATUS Status;

  IoInitializeRemoveLock(&Lock, BAD_TAG, 0, 0);
  Status = IoAcquireRemoveLock(&Lock, TheDriver);
  if (!NT_SUCCESS(Status)) return Status;
  IoReleaseRemoveLock(&Lock, TheDriver);
#ifndef FIXED
  IoReleaseRemoveLock(&Lock, TheDriver);
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
