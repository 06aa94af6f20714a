// Hears that its hardware has gone, and goes on as if it had not.
// FIXED marks its device.
#include "on_softgpu.h"

static NTSTATUS HearOnly(const PVOID Adapter, DXGK_SURPRISE_REMOVAL_TYPE Type) {
#ifdef FIXED
  return Good.DxgkDdiNotifySurpriseRemoval(Adapter, Type);
#else
  return STATUS_SUCCESS;
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiNotifySurpriseRemoval = HearOnly; }
