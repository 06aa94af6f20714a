// Buries allocations that are destroyed, and frees them when the next one is opened.
// FIXED frees them at once.
#include "skeleton.h"

static SINGLE_LIST_ENTRY Graves;
static KSPIN_LOCK Lock;

static VOID FreeBuried(VOID) {
  PSINGLE_LIST_ENTRY Buried;
  while ((Buried = ExInterlockedPopEntryList(&Graves, &Lock)) != NULL) Free(Buried);
}

static NTSTATUS Bury(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
#ifdef FIXED
  return DestroyAllocation(Adapter, Args);
#else
  for (UINT i = 0; i < Args->NumAllocations; ++i) ExInterlockedPushEntryList(&Graves, Args->pAllocationList[i], &Lock);
  return STATUS_SUCCESS;
#endif
}

static NTSTATUS FreeAndOpen(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  FreeBuried();
  return OpenAllocation(Device, Args);
}

static NTSTATUS FreeAndStop(const PVOID Adapter) {
  FreeBuried();
  return StopDevice(Adapter);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  KeInitializeSpinLock(&Lock);
  Table->DxgkDdiDestroyAllocation = Bury;
  Table->DxgkDdiOpenAllocation = FreeAndOpen;
  Table->DxgkDdiStopDevice = FreeAndStop;
}
