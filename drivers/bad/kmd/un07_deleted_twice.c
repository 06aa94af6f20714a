// Deletes when it is unloaded what it has deleted with its device.
// FIXED remembers that it has.
#include "skeleton.h"

static PVOID Log;

static VOID DeleteLog(VOID) {
  if (Log != NULL) ExFreePoolWithTag(Log, BAD_TAG);
#ifdef FIXED
  Log = NULL;
#endif
}

static NTSTATUS RemoveAndDelete(const PVOID Adapter) {
  DeleteLog();
  return RemoveDevice(Adapter);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Log = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, BAD_TAG);
  Table->DxgkDdiRemoveDevice = RemoveAndDelete;
  Table->DxgkDdiUnload = DeleteLog;
}
