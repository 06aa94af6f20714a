// A device of the driver's own, and requests to it. What a wrong driver does stands in Dispatch, or in Ask.
#pragma once

#include "skeleton.h"

static NTSTATUS Dispatch(PDEVICE_OBJECT To, PIRP Irp);
static VOID Ask(VOID);

static PDEVICE_OBJECT Device;

static inline NTSTATUS Answer(PIRP Irp, NTSTATUS Status) {
  Irp->IoStatus.Status = Status;
  Irp->IoStatus.Information = 0;
  IoCompleteRequest(Irp, IO_NO_INCREMENT);
  return Status;
}

// The request goes no further up: it was made here.
static inline NTSTATUS TakeBack(PDEVICE_OBJECT From, PIRP Irp, PVOID Answered) {
  UNREFERENCED_PARAMETER(From);
  UNREFERENCED_PARAMETER(Irp);
  KeSetEvent(Answered, IO_NO_INCREMENT, FALSE);
  return STATUS_MORE_PROCESSING_REQUIRED;
}

static inline VOID Send(CCHAR StackSize) {
  PIRP Irp = IoAllocateIrp(StackSize, FALSE);
  KEVENT Answered;

  if (Irp == NULL) return;
  KeInitializeEvent(&Answered, NotificationEvent, FALSE);
  IoGetNextIrpStackLocation(Irp)->MajorFunction = IRP_MJ_INTERNAL_DEVICE_CONTROL;
  IoSetCompletionRoutine(Irp, TakeBack, &Answered, TRUE, TRUE, TRUE);
  IoCallDriver(Device, Irp);
  WaitFor(&Answered);
  IoFreeIrp(Irp);
}

#define IOCTL_BAD CTL_CODE(FILE_DEVICE_UNKNOWN, 0x800, METHOD_BUFFERED, FILE_ANY_ACCESS)

// A request that the I/O manager frees when it is completed.
static inline VOID SendControl(VOID) {
  KEVENT Answered;
  IO_STATUS_BLOCK Result;
  PIRP Irp;

  KeInitializeEvent(&Answered, NotificationEvent, FALSE);
  Irp = IoBuildDeviceIoControlRequest(IOCTL_BAD, Device, NULL, 0, NULL, 0, FALSE, &Answered, &Result);
  if (Irp == NULL) return;
  if (IoCallDriver(Device, Irp) == STATUS_PENDING) WaitFor(&Answered);
}

static NTSTATUS Start(VOID) {
  NTSTATUS Status = IoCreateDevice(TheDriver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);

  if (!NT_SUCCESS(Status)) return Status;
  TheDriver->MajorFunction[IRP_MJ_INTERNAL_DEVICE_CONTROL] = Dispatch;
  TheDriver->MajorFunction[IRP_MJ_DEVICE_CONTROL] = Dispatch;
  Ask();
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) { IoDeleteDevice(Device); }
