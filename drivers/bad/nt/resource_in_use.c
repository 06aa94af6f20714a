// Deletes a resource that it holds.
// FIXED releases it before.
#include "skeleton.h"

static ERESOURCE Resource;

static NTSTATUS Start(VOID) {
  NTSTATUS Status = ExInitializeResourceLite(&Resource);

  if (!NT_SUCCESS(Status)) return Status;
  KeEnterCriticalRegion();
  ExAcquireResourceExclusiveLite(&Resource, TRUE);
#ifdef FIXED
  ExReleaseResourceLite(&Resource);
#endif
  ExDeleteResourceLite(&Resource);
  KeLeaveCriticalRegion();
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}
