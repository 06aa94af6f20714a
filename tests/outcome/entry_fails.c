// Its DriverEntry fails, and it is never registered.
#include <dispmprt.h>
#include <ntddk.h>

static NTSTATUS Refuse(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath, DRIVER_INITIALIZATION_DATA* Table);

#define REGISTER Refuse
#include "skeleton.h"

static BOOLEAN HasHardware;

static NTSTATUS Refuse(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath, DRIVER_INITIALIZATION_DATA* Table) {
  if (!HasHardware) return STATUS_NO_SUCH_DEVICE;
  return DxgkInitialize(DriverObject, RegistryPath, Table);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { HasHardware = Table->DxgkDdiStartDevice == NULL; }
