// Is sure that a device which is removed had been started, with all its hardware.
// FIXED is not.
#include "on_softgpu.h"

static BOOLEAN Started;

static NTSTATUS StartAndNote(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                             PULONG Children) {
  NTSTATUS Status = Good.DxgkDdiStartDevice(Adapter, Info, Kernel, Sources, Children);
  if (NT_SUCCESS(Status)) Started = TRUE;
  return Status;
}

static NTSTATUS RemoveStarted(const PVOID Adapter) {
#ifndef FIXED
  NT_ASSERT(Started);
#endif
  return Good.DxgkDdiRemoveDevice(Adapter);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartAndNote;
  Table->DxgkDdiRemoveDevice = RemoveStarted;
}
