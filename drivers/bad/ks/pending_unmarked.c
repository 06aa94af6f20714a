// Opens its pin later, and does not mark the request as pending.
// FIXED marks it.
#include "skeleton.h"

typedef struct {
  PKSPIN Pin;
  PIRP Irp;
} LATER;

// Create has returned when the filter control mutex is free.
static VOID CreateLater(PVOID Device, PVOID Context, PIO_WORKITEM WorkItem) {
  LATER Later = *(LATER*)Context;

  UNREFERENCED_PARAMETER(Device);
  IoFreeWorkItem(WorkItem);
  ExFreePoolWithTag(Context, BAD_TAG);
  KsPinAcquireControl(Later.Pin);
  KsPinReleaseControl(Later.Pin);
  Later.Irp->IoStatus.Status = STATUS_SUCCESS;
  KsCompletePendingRequest(Later.Irp);
}

static NTSTATUS Create(PKSPIN Pin, PIRP Irp) {
  PIO_WORKITEM WorkItem = IoAllocateWorkItem(KsPinGetDevice(Pin)->FunctionalDeviceObject);
  LATER* Later = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(LATER), BAD_TAG);
  NTSTATUS Status = STATUS_INSUFFICIENT_RESOURCES;

  if (WorkItem != NULL && Later != NULL) Status = CreateCapture(Pin, Irp);
  if (!NT_SUCCESS(Status)) {
    if (WorkItem != NULL) IoFreeWorkItem(WorkItem);
    if (Later != NULL) ExFreePoolWithTag(Later, BAD_TAG);
    return Status;
  }
  Later->Pin = Pin;
  Later->Irp = Irp;
#ifdef FIXED
  IoMarkIrpPending(Irp);
#endif
  IoQueueWorkItemEx(WorkItem, CreateLater, DelayedWorkQueue, Later);
  return STATUS_PENDING;
}

static VOID Replace(VOID) { Capture.Create = Create; }
