// Has memory for its picture and none for its cursor, fails, and keeps the picture.
// FIXED gives it back.
#include "skeleton.h"

static PVOID Picture, Cursor;

static VOID FreeBoth(VOID) {
  if (Picture != NULL) ExFreePoolWithTag(Picture, BAD_TAG);
  if (Cursor != NULL) ExFreePoolWithTag(Cursor, BAD_TAG);
  Picture = Cursor = NULL;
}

static NTSTATUS StartShowing(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                             PULONG Children) {
  Picture = ExAllocatePool2(POOL_FLAG_NON_PAGED, 4096, BAD_TAG);
  if (Picture == NULL) return STATUS_NO_MEMORY;
  Cursor = ExAllocatePool2(POOL_FLAG_NON_PAGED, 1024, BAD_TAG);
  if (Cursor != NULL) return StartDevice(Adapter, Info, Kernel, Sources, Children);
#ifdef FIXED
  FreeBoth();
#endif
  return STATUS_NO_MEMORY;
}

static NTSTATUS StopShowing(const PVOID Adapter) {
  FreeBoth();
  return STATUS_SUCCESS;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartShowing;
  Table->DxgkDdiStopDevice = StopShowing;
}
