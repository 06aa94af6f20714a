// softgpu's driver, which makes no context for a client.
#include "on_softgpu.h"

static NTSTATUS CreateSystemContext(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATECONTEXT Args) {
  return Args->Flags.SystemContext ? Good.DxgkDdiCreateContext(Device, Args) : STATUS_NO_MEMORY;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateContext = CreateSystemContext; }
