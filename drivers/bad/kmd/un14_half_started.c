// Wakes its worker when the device is removed, although a start that failed never made one.
// FIXED looks whether there is one.
#include "skeleton.h"

typedef struct {
  UINT64 Wanted;
} WORKER;

static WORKER* Worker;

static NTSTATUS StartWorker(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                            PULONG Children) {
  if (Worker == NULL) Worker = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Worker), BAD_TAG);
  return Worker != NULL ? StartDevice(Adapter, Info, Kernel, Sources, Children) : STATUS_NO_MEMORY;
}

static NTSTATUS RemoveWorker(const PVOID Adapter) {
#ifdef FIXED
  if (Worker == NULL) return RemoveDevice(Adapter);
#endif
  Worker->Wanted = 0;
  ExFreePoolWithTag(Worker, BAD_TAG);
  return RemoveDevice(Adapter);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartWorker;
  Table->DxgkDdiRemoveDevice = RemoveWorker;
}
