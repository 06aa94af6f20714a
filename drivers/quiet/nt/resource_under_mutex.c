// Acquires an ERESOURCE while it holds a mutex object, which keeps normal kernel APCs away like a critical region.
#include "skeleton.h"

static KMUTEX Mutex;
static ERESOURCE Resource;

static NTSTATUS Start(VOID) {
  BOOLEAN Disabled;
  NTSTATUS Status = ExInitializeResourceLite(&Resource);
  if (!NT_SUCCESS(Status)) return Status;
  KeInitializeMutex(&Mutex, 0);
  WaitFor(&Mutex);
  Disabled = KeAreApcsDisabled();
  ExAcquireResourceExclusiveLite(&Resource, TRUE);
  ExReleaseResourceLite(&Resource);
  KeReleaseMutex(&Mutex, FALSE);
  NT_ASSERT(Disabled);
  NT_ASSERT(!KeAreApcsDisabled());
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) { ExDeleteResourceLite(&Resource); }
