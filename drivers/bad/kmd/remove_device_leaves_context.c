// Keeps the context of its adapter when the adapter is removed.
// FIXED frees it.
#include "skeleton.h"

static NTSTATUS RemoveAndKeep(const PVOID Adapter) {
#ifdef FIXED
  return RemoveDevice(Adapter);
#else
  return STATUS_SUCCESS;
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiRemoveDevice = RemoveAndKeep; }
