// From DriverEntry to DriverUnload, and the device object.
#include "pipe.h"

#include <initguid.h>

// {6B3C6A3E-2C0F-4E9A-9B7B-70697065646F}
DEFINE_GUID(GUID_DEVINTERFACE_PIPE, 0x6b3c6a3e, 0x2c0f, 0x4e9a, 0x9b, 0x7b, 0x70, 0x69, 0x70, 0x65, 0x64, 0x6f);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD PipeUnload;
static DRIVER_ADD_DEVICE PipeAddDevice;

#pragma alloc_text(INIT, DriverEntry)
#pragma alloc_text(PAGE, PipeUnload, PipeAddDevice)

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  UNREFERENCED_PARAMETER(RegistryPath);
  DriverObject->DriverUnload = PipeUnload;
  DriverObject->DriverExtension->AddDevice = PipeAddDevice;
  DriverObject->MajorFunction[IRP_MJ_CREATE] = PipeCreate;
  DriverObject->MajorFunction[IRP_MJ_CLEANUP] = PipeCleanup;
  DriverObject->MajorFunction[IRP_MJ_CLOSE] = PipeClose;
  DriverObject->MajorFunction[IRP_MJ_READ] = PipeRead;
  DriverObject->MajorFunction[IRP_MJ_WRITE] = PipeWrite;
  DriverObject->MajorFunction[IRP_MJ_FLUSH_BUFFERS] = PipeFlush;
  DriverObject->MajorFunction[IRP_MJ_QUERY_INFORMATION] = PipeQueryInformation;
  DriverObject->MajorFunction[IRP_MJ_DEVICE_CONTROL] = PipeControl;
  DriverObject->MajorFunction[IRP_MJ_INTERNAL_DEVICE_CONTROL] = PipePassOnDispatch;
  DriverObject->MajorFunction[IRP_MJ_SYSTEM_CONTROL] = PipePassOnDispatch;
  DriverObject->MajorFunction[IRP_MJ_PNP] = PipePnp;
  DriverObject->MajorFunction[IRP_MJ_POWER] = PipePower;
  return STATUS_SUCCESS;
}

// Every device was removed before.
static VOID PipeUnload(PDRIVER_OBJECT DriverObject) {
  PAGED_CODE();
  NT_ASSERT(DriverObject->DeviceObject == NULL);
  UNREFERENCED_PARAMETER(DriverObject);
}

static NTSTATUS PipeAddDevice(PDRIVER_OBJECT DriverObject, PDEVICE_OBJECT PhysicalDevice) {
  PDEVICE_OBJECT Device;
  PPIPE Pipe;
  NTSTATUS Status;
  PAGED_CODE();

  Status =
      IoCreateDevice(DriverObject, sizeof(PIPE), NULL, FILE_DEVICE_UNKNOWN, FILE_DEVICE_SECURE_OPEN, FALSE, &Device);
  if (!NT_SUCCESS(Status)) return Status;
  Pipe = Device->DeviceExtension;
  Pipe->Self = Device;
  Pipe->Physical = PhysicalDevice;
  Pipe->State = PipeNotStarted;
  Pipe->Power = PowerDeviceD0;
  IoInitializeRemoveLock(&Pipe->RemoveLock, PIPE_TAG, 0, 0);
  KeInitializeSpinLock(&Pipe->RingLock);
  KeInitializeSpinLock(&Pipe->HardwareLock);
  KeInitializeDpc(&Pipe->Dpc, PipeServeReads, Pipe);
  PipeInitializeQueue(Pipe);

  Status = IoRegisterDeviceInterface(PhysicalDevice, &GUID_DEVINTERFACE_PIPE, NULL, &Pipe->InterfaceName);
  if (!NT_SUCCESS(Status)) {
    IoDeleteDevice(Device);
    return Status;
  }
  Pipe->Below = IoAttachDeviceToDeviceStack(Device, PhysicalDevice);
  if (Pipe->Below == NULL) {
    RtlFreeUnicodeString(&Pipe->InterfaceName);
    IoDeleteDevice(Device);
    return STATUS_NO_SUCH_DEVICE;
  }
  Device->Flags |= DO_BUFFERED_IO | DO_POWER_PAGABLE;
  Device->Flags &= ~DO_DEVICE_INITIALIZING;
  return STATUS_SUCCESS;
}

NTSTATUS PipeComplete(PIRP Irp, NTSTATUS Status, ULONG_PTR Information) {
  Irp->IoStatus.Status = Status;
  Irp->IoStatus.Information = Information;
  IoCompleteRequest(Irp, IO_NO_INCREMENT);
  return Status;
}

NTSTATUS PipeFinish(PPIPE Pipe, PIRP Irp, NTSTATUS Status, ULONG_PTR Information) {
  PipeComplete(Irp, Status, Information);
  IoReleaseRemoveLock(&Pipe->RemoveLock, Irp);
  return Status;
}

NTSTATUS PipePassOn(PPIPE Pipe, PIRP Irp) {
  NTSTATUS Status;

  IoSkipCurrentIrpStackLocation(Irp);
  Status = IoCallDriver(Pipe->Below, Irp);
  IoReleaseRemoveLock(&Pipe->RemoveLock, Irp);
  return Status;
}

NTSTATUS PipePassOnDispatch(PDEVICE_OBJECT Device, PIRP Irp) {
  PPIPE Pipe = Device->DeviceExtension;
  NTSTATUS Status = IoAcquireRemoveLock(&Pipe->RemoveLock, Irp);

  if (!NT_SUCCESS(Status)) return PipeComplete(Irp, Status, 0);
  return PipePassOn(Pipe, Irp);
}
