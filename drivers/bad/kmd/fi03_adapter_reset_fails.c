// Cannot reset the adapter, either.
// FIXED resets it.
#include "on_softgpu.h"

static NTSTATUS ResetAndFail(IN_CONST_HANDLE Adapter) {
  NTSTATUS Status = Good.DxgkDdiResetFromTimeout(Adapter);
#ifndef FIXED
  Status = STATUS_UNSUCCESSFUL;
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiResetFromTimeout = ResetAndFail; }
