// Destroys an allocation with a fast mutex held that the clean-up takes as well.
// FIXED takes it in one place.
#include "on_softgpu.h"

static FAST_MUTEX Mutex;

static VOID CleanUp(VOID) {
  ExAcquireFastMutex(&Mutex);
  ExReleaseFastMutex(&Mutex);
}

static NTSTATUS DestroyLocked(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
#ifdef FIXED
  CleanUp();
#else
  ExAcquireFastMutex(&Mutex);
  CleanUp();
  ExReleaseFastMutex(&Mutex);
#endif
  return Good.DxgkDdiDestroyAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  ExInitializeFastMutex(&Mutex);
  Table->DxgkDdiDestroyAllocation = DestroyLocked;
}
