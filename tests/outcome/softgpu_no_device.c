// softgpu's driver, which makes no device for a client.
#include "on_softgpu.h"

static NTSTATUS CreateSystemDevice(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  return Args->Flags.SystemDevice ? Good.DxgkDdiCreateDevice(Adapter, Args) : STATUS_NO_MEMORY;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateDevice = CreateSystemDevice; }
