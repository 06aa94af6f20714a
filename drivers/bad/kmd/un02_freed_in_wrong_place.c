// Frees its settings in a function that is not called when a driver is unloaded.
// FIXED frees them then too.
#include "skeleton.h"

static PVOID Settings;

static VOID FreeSettings(VOID) {
  if (Settings != NULL) ExFreePoolWithTag(Settings, BAD_TAG);
  Settings = NULL;
}

static VOID ResetAndFree(const PVOID Adapter) { FreeSettings(); }

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Settings = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, BAD_TAG);
  Table->DxgkDdiResetDevice = ResetAndFree;
#ifdef FIXED
  Table->DxgkDdiUnload = FreeSettings;
#endif
}
