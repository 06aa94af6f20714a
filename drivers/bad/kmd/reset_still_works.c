// Leaves the hardware at work after a timeout, and resets it when it is to work again.
// FIXED resets it first.
#include "on_softgpu.h"

static NTSTATUS ResetLater(IN_CONST_HANDLE Adapter) {
#ifdef FIXED
  return Good.DxgkDdiResetFromTimeout(Adapter);
#else
  return STATUS_SUCCESS;
#endif
}

static NTSTATUS RestartAfterReset(IN_CONST_HANDLE Adapter) {
#ifndef FIXED
  Good.DxgkDdiResetFromTimeout(Adapter);
#endif
  return Good.DxgkDdiRestartFromTimeout(Adapter);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiResetFromTimeout = ResetLater;
  Table->DxgkDdiRestartFromTimeout = RestartAfterReset;
}
