// Acquires a resource where an APC may take the thread away.
// FIXED enters a critical region before.
#include "skeleton.h"

static ERESOURCE Resource;

static NTSTATUS Start(VOID) {
  NTSTATUS Status = ExInitializeResourceLite(&Resource);

  if (!NT_SUCCESS(Status)) return Status;
#ifdef FIXED
  KeEnterCriticalRegion();
#endif
  ExAcquireResourceExclusiveLite(&Resource, TRUE);
  ExReleaseResourceLite(&Resource);
#ifdef FIXED
  KeLeaveCriticalRegion();
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) { ExDeleteResourceLite(&Resource); }
