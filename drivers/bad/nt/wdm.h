// A correct Plug and Play function driver, as small as one can be, for the wrong ones to stand on. Each of them
// includes this file and defines Serve, which answers everything that a program sends; it may define ADDING, a
// statement of AddDevice.
#pragma once

#include <ntddk.h>

#ifndef ADDING
#define ADDING
#endif

typedef struct _EXTENSION {
  PDEVICE_OBJECT Below;
  IO_REMOVE_LOCK RemoveLock;
} EXTENSION, *PEXTENSION;

static NTSTATUS Serve(PDEVICE_OBJECT Device, PIRP Irp);

DRIVER_INITIALIZE DriverEntry;

static inline NTSTATUS Answer(PIRP Irp, NTSTATUS Status, ULONG_PTR Information) {
  Irp->IoStatus.Status = Status;
  Irp->IoStatus.Information = Information;
  IoCompleteRequest(Irp, IO_NO_INCREMENT);
  return Status;
}

static NTSTATUS PassOn(PDEVICE_OBJECT Device, PIRP Irp) {
  PEXTENSION Extension = Device->DeviceExtension;
  NTSTATUS Status = IoAcquireRemoveLock(&Extension->RemoveLock, Irp);

  if (!NT_SUCCESS(Status)) return Answer(Irp, Status, 0);
  IoSkipCurrentIrpStackLocation(Irp);
  Status = IoCallDriver(Extension->Below, Irp);
  IoReleaseRemoveLock(&Extension->RemoveLock, Irp);
  return Status;
}

static NTSTATUS Remove(PDEVICE_OBJECT Device, PIRP Irp) {
  PEXTENSION Extension = Device->DeviceExtension;
  NTSTATUS Status = IoAcquireRemoveLock(&Extension->RemoveLock, Irp);

  NT_ASSERT(NT_SUCCESS(Status));
  Irp->IoStatus.Status = STATUS_SUCCESS;
  IoSkipCurrentIrpStackLocation(Irp);
  Status = IoCallDriver(Extension->Below, Irp);
  IoReleaseRemoveLockAndWait(&Extension->RemoveLock, Irp);
  IoDetachDevice(Extension->Below);
  IoDeleteDevice(Device);
  return Status;
}

static NTSTATUS Pnp(PDEVICE_OBJECT Device, PIRP Irp) {
  switch (IoGetCurrentIrpStackLocation(Irp)->MinorFunction) {
    case IRP_MN_REMOVE_DEVICE:
      return Remove(Device, Irp);
    case IRP_MN_START_DEVICE:
    case IRP_MN_STOP_DEVICE:
    case IRP_MN_QUERY_STOP_DEVICE:
    case IRP_MN_CANCEL_STOP_DEVICE:
    case IRP_MN_QUERY_REMOVE_DEVICE:
    case IRP_MN_CANCEL_REMOVE_DEVICE:
    case IRP_MN_SURPRISE_REMOVAL:
      Irp->IoStatus.Status = STATUS_SUCCESS;
      break;
    default:
      break;
  }
  return PassOn(Device, Irp);
}

static NTSTATUS AddDevice(PDRIVER_OBJECT DriverObject, PDEVICE_OBJECT PhysicalDevice) {
  PDEVICE_OBJECT Device;
  PEXTENSION Extension;
  NTSTATUS Status = IoCreateDevice(DriverObject, sizeof(EXTENSION), NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);

  if (!NT_SUCCESS(Status)) return Status;
  Extension = Device->DeviceExtension;
  IoInitializeRemoveLock(&Extension->RemoveLock, 'daBD', 0, 0);
  Extension->Below = IoAttachDeviceToDeviceStack(Device, PhysicalDevice);
  if (Extension->Below == NULL) {
    IoDeleteDevice(Device);
    return STATUS_NO_SUCH_DEVICE;
  }
  ADDING;
  Device->Flags |= DO_BUFFERED_IO;
  Device->Flags &= ~DO_DEVICE_INITIALIZING;
  return STATUS_SUCCESS;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) { UNREFERENCED_PARAMETER(DriverObject); }

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  ULONG i;
  UNREFERENCED_PARAMETER(RegistryPath);

  for (i = 0; i <= IRP_MJ_MAXIMUM_FUNCTION; i++) DriverObject->MajorFunction[i] = Serve;
  DriverObject->MajorFunction[IRP_MJ_PNP] = Pnp;
  DriverObject->MajorFunction[IRP_MJ_POWER] = PassOn;
  DriverObject->MajorFunction[IRP_MJ_SYSTEM_CONTROL] = PassOn;
  DriverObject->DriverExtension->AddDevice = AddDevice;
  DriverObject->DriverUnload = Unload;
  return STATUS_SUCCESS;
}
