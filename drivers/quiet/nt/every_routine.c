// Counts the calls of its routines, and its unload routine stops the system when one was never called: nt/requests
// calls each of them with every seed.
#include <ntddk.h>

static PDEVICE_OBJECT Below;
static LONG Added, Started, Removed;
static LONG Calls[IRP_MJ_MAXIMUM_FUNCTION + 1];

static const UCHAR Wanted[] = {IRP_MJ_CREATE,
                               IRP_MJ_CLEANUP,
                               IRP_MJ_CLOSE,
                               IRP_MJ_READ,
                               IRP_MJ_WRITE,
                               IRP_MJ_DEVICE_CONTROL,
                               IRP_MJ_INTERNAL_DEVICE_CONTROL,
                               IRP_MJ_FILE_SYSTEM_CONTROL,
                               IRP_MJ_QUERY_INFORMATION,
                               IRP_MJ_SET_INFORMATION,
                               IRP_MJ_QUERY_VOLUME_INFORMATION,
                               IRP_MJ_SET_VOLUME_INFORMATION,
                               IRP_MJ_FLUSH_BUFFERS,
                               IRP_MJ_PNP,
                               IRP_MJ_POWER,
                               IRP_MJ_SYSTEM_CONTROL};

DRIVER_INITIALIZE DriverEntry;

static NTSTATUS Dispatch(PDEVICE_OBJECT Device, PIRP Irp) {
  PIO_STACK_LOCATION At = IoGetCurrentIrpStackLocation(Irp);
  UCHAR Major = At->MajorFunction, Minor = At->MinorFunction;
  NTSTATUS Status;

  InterlockedIncrement(&Calls[Major]);
  if (Major != IRP_MJ_PNP && Major != IRP_MJ_POWER && Major != IRP_MJ_SYSTEM_CONTROL) {
    Irp->IoStatus.Status = STATUS_SUCCESS;
    Irp->IoStatus.Information = 0;
    IoCompleteRequest(Irp, IO_NO_INCREMENT);
    return STATUS_SUCCESS;
  }
  IoSkipCurrentIrpStackLocation(Irp);
  Status = Major == IRP_MJ_POWER ? PoCallDriver(Below, Irp) : IoCallDriver(Below, Irp);
  if (Major != IRP_MJ_PNP) return Status;
  if (Minor == IRP_MN_START_DEVICE) Started++;
  if (Minor == IRP_MN_REMOVE_DEVICE) {
    Removed++;
    IoDetachDevice(Below);
    IoDeleteDevice(Device);
  }
  return Status;
}

static NTSTATUS AddDevice(PDRIVER_OBJECT DriverObject, PDEVICE_OBJECT PhysicalDevice) {
  PDEVICE_OBJECT Device;
  NTSTATUS Status = IoCreateDevice(DriverObject, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);

  if (!NT_SUCCESS(Status)) return Status;
  Added++;
  Below = IoAttachDeviceToDeviceStack(Device, PhysicalDevice);
  Device->Flags |= DO_BUFFERED_IO;
  Device->Flags &= ~DO_DEVICE_INITIALIZING;
  return STATUS_SUCCESS;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
  ULONG i;
  UNREFERENCED_PARAMETER(DriverObject);

  if (Calls[IRP_MJ_FLUSH_BUFFERS] == 0) return;
  if (Added != 1 || Started != 1 || Removed != 1) KeBugCheckEx(0xE2, Added, Started, Removed, 0);
  for (i = 0; i < ARRAYSIZE(Wanted); i++) {
    if (Calls[Wanted[i]] == 0) KeBugCheckEx(0xE2, Wanted[i], 0, 0, 0);
  }
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  ULONG i;
  UNREFERENCED_PARAMETER(RegistryPath);

  for (i = 0; i <= IRP_MJ_MAXIMUM_FUNCTION; i++) DriverObject->MajorFunction[i] = Dispatch;
  DriverObject->DriverExtension->AddDevice = AddDevice;
  DriverObject->DriverUnload = Unload;
  return STATUS_SUCCESS;
}
