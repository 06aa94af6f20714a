// Queues a DPC to another processor when its device is stopped, and frees the memory that it lies in when the device is
// removed, whether or not it has run.
// FIXED waits for it.
#include "skeleton.h"

static PKDPC Late;

static VOID Ignore(PKDPC Own, PVOID Context, PVOID Argument1, PVOID Argument2) {}

static NTSTATUS AddLate(const PDEVICE_OBJECT Device, PVOID* Adapter) {
  NTSTATUS Status = AddDevice(Device, Adapter);
  if (!NT_SUCCESS(Status)) return Status;
  Late = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Late), BAD_TAG);
  if (Late == NULL) {
    Free(*Adapter);
    return STATUS_NO_MEMORY;
  }
  KeInitializeDpc(Late, Ignore, NULL);
  KeSetTargetProcessorDpc(Late, 1);
  return STATUS_SUCCESS;
}

static NTSTATUS StopLate(const PVOID Adapter) {
  KeInsertQueueDpc(Late, NULL, NULL);
#ifdef FIXED
  KeFlushQueuedDpcs();
#endif
  return STATUS_SUCCESS;
}

static NTSTATUS RemoveLate(const PVOID Adapter) {
  ExFreePoolWithTag(Late, BAD_TAG);
  return RemoveDevice(Adapter);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiAddDevice = AddLate;
  Table->DxgkDdiStopDevice = StopLate;
  Table->DxgkDdiRemoveDevice = RemoveLate;
}
