// Has nothing to stop once its hardware has gone, and forgets what it allocated when it started.
// FIXED gives that back all the same.
#include "on_softgpu.h"

#define BAD_TAG 'daBD'

static BOOLEAN Gone;
static PVOID Shadow;

static NTSTATUS StartWithShadow(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                                PULONG Children) {
  NTSTATUS Status = Good.DxgkDdiStartDevice(Adapter, Info, Kernel, Sources, Children);
  if (NT_SUCCESS(Status)) Shadow = ExAllocatePool2(POOL_FLAG_NON_PAGED, PAGE_SIZE, BAD_TAG);
  return Status;
}

static NTSTATUS HearAndMark(const PVOID Adapter, DXGK_SURPRISE_REMOVAL_TYPE Type) {
#ifndef FIXED
  Gone = TRUE;
#endif
  return Good.DxgkDdiNotifySurpriseRemoval(Adapter, Type);
}

static NTSTATUS StopUnlessGone(const PVOID Adapter) {
  if (Shadow != NULL && !Gone) {
    ExFreePoolWithTag(Shadow, BAD_TAG);
    Shadow = NULL;
  }
  return Good.DxgkDdiStopDevice(Adapter);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartWithShadow;
  Table->DxgkDdiNotifySurpriseRemoval = HearAndMark;
  Table->DxgkDdiStopDevice = StopUnlessGone;
}
