// Frees what it knows of an allocation although its own DPC has not yet taken it off the list of busy ones.
// FIXED takes it off before the scheduler learns that the commands are done.
#include "on_softgpu.h"

typedef struct BUSY {
  volatile LONG Marked;
} BUSY;

static BUSY* volatile Busy;  // of one allocation at a time

static NTSTATUS CreateBusy(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  BUSY* Fresh = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(BUSY), 'ysuB');
  if (Fresh != NULL && InterlockedCompareExchangePointer((PVOID volatile*)&Busy, Fresh, NULL) != NULL) {
    ExFreePoolWithTag(Fresh, 'ysuB');
  }
  return Good.DxgkDdiCreateAllocation(Adapter, Args);
}

static NTSTATUS DestroyBusy(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
  BUSY* Gone = InterlockedExchangePointer((PVOID volatile*)&Busy, NULL);
  if (Gone != NULL) ExFreePoolWithTag(Gone, 'ysuB');
  return Good.DxgkDdiDestroyAllocation(Adapter, Args);
}

static VOID DpcAndUnmark(const PVOID Adapter) {
  BUSY* Found = Busy;
#ifdef FIXED
  Found = NULL;
#endif
  Good.DxgkDdiDpcRoutine(Adapter);
  KeStallExecutionProcessor(20);
  if (Found != NULL) Found->Marked = FALSE;
}

static NTSTATUS RemoveBusy(const PVOID Adapter) {
  if (Busy != NULL) ExFreePoolWithTag(Busy, 'ysuB');
  return Good.DxgkDdiRemoveDevice(Adapter);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiRemoveDevice = RemoveBusy;
  Table->DxgkDdiCreateAllocation = CreateBusy;
  Table->DxgkDdiDestroyAllocation = DestroyBusy;
  Table->DxgkDdiDpcRoutine = DpcAndUnmark;
}
