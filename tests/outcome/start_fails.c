// Is ready for a start when the first device has been created, which comes after the start: its adapter never starts.
#include "skeleton.h"

static BOOLEAN Ready;

static NTSTATUS StartIfReady(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                             PULONG Children) {
  if (!Ready) return STATUS_DEVICE_NOT_READY;
  return StartDevice(Adapter, Info, Kernel, Sources, Children);
}

static NTSTATUS CreateFirstDevice(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  Ready = TRUE;
  return CreateDevice(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartIfReady;
  Table->DxgkDdiCreateDevice = CreateFirstDevice;
}
