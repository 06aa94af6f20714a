// IRPs: dispatching and forwarding them, the cancelable queue, and worker threads.
#pragma once
#pragma GCC system_header

#include "ks_types.h"

typedef enum { KsListEntryTail, KsListEntryHead } KSLIST_ENTRY_LOCATION;

typedef enum {
  KsAcquireOnly,
  KsAcquireAndRemove,
  KsAcquireOnlySingleItem,
  KsAcquireAndRemoveOnlySingleItem
} KSIRP_REMOVAL_OPERATION;

typedef enum { KsStackCopyToNewLocation, KsStackReuseCurrentLocation, KsStackUseNewLocation } KSSTACK_USE;

EXTERN_C_START
typedef NTSTATUS (*PFNKSIRPLISTCALLBACK)(PIRP Irp, PVOID Context);

NTSTATUS KsDispatchIrp(PDEVICE_OBJECT DeviceObject, PIRP Irp);
NTSTATUS KsDispatchInvalidDeviceRequest(PDEVICE_OBJECT DeviceObject, PIRP Irp);
NTSTATUS KsDispatchQuerySecurity(PDEVICE_OBJECT DeviceObject, PIRP Irp);
NTSTATUS KsDispatchSetSecurity(PDEVICE_OBJECT DeviceObject, PIRP Irp);
NTSTATUS KsDefaultDeviceIoCompletion(PDEVICE_OBJECT DeviceObject, PIRP Irp);
BOOLEAN KsDispatchFastIoDeviceControlFailure(PFILE_OBJECT FileObject, BOOLEAN Wait, PVOID InputBuffer,
                                             ULONG InputBufferLength, PVOID OutputBuffer, ULONG OutputBufferLength,
                                             ULONG IoControlCode, PIO_STATUS_BLOCK IoStatus,
                                             PDEVICE_OBJECT DeviceObject);
BOOLEAN KsDispatchFastReadFailure(PFILE_OBJECT FileObject, PLARGE_INTEGER FileOffset, ULONG Length, BOOLEAN Wait,
                                  ULONG LockKey, PVOID Buffer, PIO_STATUS_BLOCK IoStatus, PDEVICE_OBJECT DeviceObject);
NTSTATUS KsSetMajorFunctionHandler(PDRIVER_OBJECT DriverObject, ULONG MajorFunction);
VOID KsNullDriverUnload(PDRIVER_OBJECT DriverObject);
NTSTATUS KsForwardIrp(PIRP Irp, PFILE_OBJECT FileObject, BOOLEAN ReuseStackLocation);
NTSTATUS KsForwardAndCatchIrp(PDEVICE_OBJECT DeviceObject, PIRP Irp, PFILE_OBJECT FileObject, KSSTACK_USE StackUse);
void KsCompletePendingRequest(PIRP Irp);
NTSTATUS KsQueryInformationFile(PFILE_OBJECT FileObject, PVOID FileInformation, ULONG Length,
                                FILE_INFORMATION_CLASS FileInformationClass);
NTSTATUS KsSetInformationFile(PFILE_OBJECT FileObject, PVOID FileInformation, ULONG Length,
                              FILE_INFORMATION_CLASS FileInformationClass);

VOID KsAddIrpToCancelableQueue(PLIST_ENTRY QueueHead, PKSPIN_LOCK SpinLock, PIRP Irp,
                               KSLIST_ENTRY_LOCATION ListLocation, PDRIVER_CANCEL DriverCancel);
PIRP KsRemoveIrpFromCancelableQueue(PLIST_ENTRY QueueHead, PKSPIN_LOCK SpinLock, KSLIST_ENTRY_LOCATION ListLocation,
                                    KSIRP_REMOVAL_OPERATION RemovalOperation);
NTSTATUS KsMoveIrpsOnCancelableQueue(PLIST_ENTRY SourceList, PKSPIN_LOCK SourceLock, PLIST_ENTRY DestinationList,
                                     PKSPIN_LOCK DestinationLock, KSLIST_ENTRY_LOCATION ListLocation,
                                     PFNKSIRPLISTCALLBACK ListCallback, PVOID Context);
VOID KsRemoveSpecificIrpFromCancelableQueue(PIRP Irp);
VOID KsReleaseIrpOnCancelableQueue(PIRP Irp, PDRIVER_CANCEL DriverCancel);
VOID KsCancelIo(PLIST_ENTRY QueueHead, PKSPIN_LOCK SpinLock);

NTSTATUS KsRegisterWorker(WORK_QUEUE_TYPE WorkQueueType, PKSWORKER* Worker);
NTSTATUS KsRegisterCountedWorker(WORK_QUEUE_TYPE WorkQueueType, PWORK_QUEUE_ITEM CountedWorkItem, PKSWORKER* Worker);
VOID KsUnregisterWorker(PKSWORKER Worker);
NTSTATUS KsQueueWorkItem(PKSWORKER Worker, PWORK_QUEUE_ITEM WorkItem);
ULONG KsIncrementCountedWorker(PKSWORKER Worker);
ULONG KsDecrementCountedWorker(PKSWORKER Worker);
EXTERN_C_END
