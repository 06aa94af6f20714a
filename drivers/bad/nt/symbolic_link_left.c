// Makes a symbolic link to its device and leaves it when it is unloaded.
// FIXED deletes the link.
#include "skeleton.h"

static UNICODE_STRING DeviceName = RTL_CONSTANT_STRING(L"\\Device\\Bad");
static UNICODE_STRING LinkName = RTL_CONSTANT_STRING(L"\\DosDevices\\Bad");
static PDEVICE_OBJECT Device;

static NTSTATUS Start(VOID) {
  NTSTATUS Status = IoCreateDevice(TheDriver, 0, &DeviceName, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);

  if (!NT_SUCCESS(Status)) return Status;
  Status = IoCreateSymbolicLink(&LinkName, &DeviceName);
  if (!NT_SUCCESS(Status)) IoDeleteDevice(Device);
  return Status;
}

static VOID Stop(VOID) {
#ifdef FIXED
  IoDeleteSymbolicLink(&LinkName);
#endif
  IoDeleteDevice(Device);
}
