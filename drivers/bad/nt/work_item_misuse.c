// Frees a work item that it has just queued.
// FIXED waits until the item's routine has run.
#include "skeleton.h"

static PDEVICE_OBJECT Device;
static KEVENT Done;

static VOID Work(PDEVICE_OBJECT DeviceObject, PVOID Context) {
  UNREFERENCED_PARAMETER(DeviceObject);
  UNREFERENCED_PARAMETER(Context);
  KeSetEvent(&Done, IO_NO_INCREMENT, FALSE);
}

static NTSTATUS Start(VOID) {
  PIO_WORKITEM Item;
  NTSTATUS Status;

  KeInitializeEvent(&Done, NotificationEvent, FALSE);
  Status = IoCreateDevice(TheDriver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
  if (!NT_SUCCESS(Status)) return Status;
  Item = IoAllocateWorkItem(Device);
  if (Item == NULL) {
    IoDeleteDevice(Device);
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  IoQueueWorkItem(Item, Work, DelayedWorkQueue, NULL);
#ifdef FIXED
  WaitFor(&Done);
#endif
  IoFreeWorkItem(Item);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {
  WaitFor(&Done);
  IoDeleteDevice(Device);
}
