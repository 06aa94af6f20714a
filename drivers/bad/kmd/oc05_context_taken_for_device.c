// Counts what is rendered in the device, and takes the context for it, which is smaller.
// FIXED asks the context for its device.
#include "skeleton.h"

typedef struct {
  UINT64 State[4];
  UINT64 Rendered;
} DEVICE;

typedef struct {
  DEVICE* Device;
} CONTEXT;

static NTSTATUS CreateLargeDevice(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  return Made(Args->hDevice = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(DEVICE), BAD_TAG));
}

static NTSTATUS CreateOnDevice(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATECONTEXT Args) {
  NTSTATUS Status = CreateContext(Device, Args);
  if (NT_SUCCESS(Status)) ((CONTEXT*)Args->hContext)->Device = (DEVICE*)Device;
  return Status;
}

static NTSTATUS RenderAndCount(IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args) {
#ifdef FIXED
  DEVICE* Device = ((CONTEXT*)Context)->Device;
#else
  DEVICE* Device = (DEVICE*)Context;
#endif
  Device->Rendered += 1;
  return Render(Context, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateDevice = CreateLargeDevice;
  Table->DxgkDdiCreateContext = CreateOnDevice;
  Table->DxgkDdiRender = RenderAndCount;
}
