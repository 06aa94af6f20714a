// A display driver that never comes back from making a device.
#include "skeleton.h"

static volatile LONG Forever = 1;

static NTSTATUS LoopInCreateDevice(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  while (Forever) {
  }
  return CreateDevice(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateDevice = LoopInCreateDevice; }
