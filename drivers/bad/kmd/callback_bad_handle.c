// Asks about its device with its own context, which only the driver knows.
// FIXED takes the handle that it was given for that.
#include "skeleton.h"

static DXGK_DEVICE_INFO DeviceInfo;

static NTSTATUS StartAndAsk(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                            PULONG Children) {
  NTSTATUS Status = StartDevice(Adapter, Info, Kernel, Sources, Children);
#ifdef FIXED
  HANDLE Device = Kernel->DeviceHandle;
#else
  HANDLE Device = Adapter;
#endif
  Kernel->DxgkCbGetDeviceInformation(Device, &DeviceInfo);
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartAndAsk; }
