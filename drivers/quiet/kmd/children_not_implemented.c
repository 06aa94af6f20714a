// Has no children, and so no DxgkDdiQueryChildRelations worth the name.
#include "on_softgpu.h"

static NTSTATUS NoChildren(const PVOID Adapter, PDXGK_CHILD_DESCRIPTOR Children, ULONG Bytes) {
  UNREFERENCED_PARAMETER(Adapter);
  UNREFERENCED_PARAMETER(Children);
  UNREFERENCED_PARAMETER(Bytes);
  return STATUS_NOT_IMPLEMENTED;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiQueryChildRelations = NoChildren; }
