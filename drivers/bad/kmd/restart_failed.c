// Starts the hardware again after a timeout, and says that it could not.
// FIXED says that it did.
#include "on_softgpu.h"

static NTSTATUS RestartAndFail(IN_CONST_HANDLE Adapter) {
  NTSTATUS Status = Good.DxgkDdiRestartFromTimeout(Adapter);
#ifndef FIXED
  Status = STATUS_UNSUCCESSFUL;
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiRestartFromTimeout = RestartAndFail; }
