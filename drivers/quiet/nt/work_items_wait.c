// Queues nine work items of which the first eight wait for the last. The system gives a queue more worker threads when
// all that it has are blocked.
#include "skeleton.h"

#define ITEMS 9

static PDEVICE_OBJECT Device;
static PIO_WORKITEM Items[ITEMS];
static KEVENT Go, Done;
static LONG Left = ITEMS;

static VOID Finish(VOID) {
  if (InterlockedDecrement(&Left) == 0) KeSetEvent(&Done, IO_NO_INCREMENT, FALSE);
}

static VOID WaitForLast(PDEVICE_OBJECT DeviceObject, PVOID Context) {
  UNREFERENCED_PARAMETER(DeviceObject);
  UNREFERENCED_PARAMETER(Context);
  WaitFor(&Go);
  Finish();
}

static VOID LetGo(PDEVICE_OBJECT DeviceObject, PVOID Context) {
  UNREFERENCED_PARAMETER(DeviceObject);
  UNREFERENCED_PARAMETER(Context);
  KeSetEvent(&Go, IO_NO_INCREMENT, FALSE);
  Finish();
}

static VOID FreeAll(VOID) {
  ULONG i;
  for (i = 0; i < ITEMS; i++) {
    if (Items[i] != NULL) IoFreeWorkItem(Items[i]);
  }
  IoDeleteDevice(Device);
}

static NTSTATUS Start(VOID) {
  ULONG i;
  NTSTATUS Status;

  KeInitializeEvent(&Go, NotificationEvent, FALSE);
  KeInitializeEvent(&Done, NotificationEvent, FALSE);
  Status = IoCreateDevice(TheDriver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
  if (!NT_SUCCESS(Status)) return Status;
  for (i = 0; i < ITEMS; i++) {
    Items[i] = IoAllocateWorkItem(Device);
    if (Items[i] == NULL) {
      FreeAll();
      return STATUS_INSUFFICIENT_RESOURCES;
    }
  }
  for (i = 0; i < ITEMS; i++) {
    IoQueueWorkItem(Items[i], i == ITEMS - 1 ? LetGo : WaitForLast, DelayedWorkQueue, NULL);
  }
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {
  WaitFor(&Done);
  FreeAll();
}
