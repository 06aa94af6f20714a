// From DriverEntry to DriverUnload: what the mill is made of, and how it stops.
#include "mill.h"

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD MillUnload;
static NTSTATUS MillStart(PDEVICE_OBJECT Device);
static NTSTATUS MillStartWorker(PMILL Mill);
static VOID MillStop(PDEVICE_OBJECT Device);
static VOID MillWaitForWorkers(PMILL Mill);
static VOID MillMixPlaces(PMILL Mill);
static VOID MillCheckBooks(PMILL Mill);

#pragma alloc_text(INIT, DriverEntry)
#pragma alloc_text(PAGE, MillUnload, MillStart, MillStartWorker)
#pragma alloc_text(PAGE, MillStop, MillWaitForWorkers, MillMixPlaces, MillCheckBooks)

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  PDEVICE_OBJECT Device;
  NTSTATUS Status;
  UNREFERENCED_PARAMETER(RegistryPath);

  DriverObject->DriverUnload = MillUnload;
  Status = IoCreateDevice(DriverObject, sizeof(MILL), NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
  if (!NT_SUCCESS(Status)) return Status;
  Status = MillStart(Device);
  if (!NT_SUCCESS(Status)) MillStop(Device);
  return Status;
}

static VOID MillUnload(PDRIVER_OBJECT DriverObject) {
  PAGED_CODE();
  MillStop(DriverObject->DeviceObject);
}

// What cannot fail comes first: MillStop relies on it. The I/O manager has cleared the extension.
static NTSTATUS MillStart(PDEVICE_OBJECT Device) {
  PMILL Mill = Device->DeviceExtension;
  LARGE_INTEGER Due;
  NTSTATUS Status;
  PAGED_CODE();

  KeInitializeTimerEx(&Mill->Timer, SynchronizationTimer);
  KeInitializeDpc(&Mill->TimerDpc, MillTick, Device);
  KeInitializeEvent(&Mill->ReportIdle, NotificationEvent, TRUE);
  KeInitializeSpinLock(&Mill->QueueLock);
  InitializeListHead(&Mill->Queue);
  KeInitializeSemaphore(&Mill->Available, 0, MAXLONG);
  KeInitializeEvent(&Mill->Stop, NotificationEvent, FALSE);
  KeInitializeSpinLock(&Mill->CountLock);
  KeInitializeMutex(&Mill->LogMutex, 0);
  ExInitializeFastMutex(&Mill->TotalsMutex);

  Status = ExInitializeLookasideListEx(&Mill->Jobs, NULL, NULL, NonPagedPoolNx, 0, sizeof(MILL_JOB), MILL_TAG, 0);
  if (!NT_SUCCESS(Status)) return Status;
  Mill->JobsReady = TRUE;
  Mill->Log = ExAllocatePool2(POOL_FLAG_PAGED, MILL_JOBS * sizeof(ULONG), MILL_TAG);
  if (Mill->Log == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Mill->Report = IoAllocateWorkItem(Device);
  if (Mill->Report == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  while (Mill->WorkerCount < MILL_WORKERS) {
    Status = MillStartWorker(Mill);
    if (!NT_SUCCESS(Status)) return Status;
  }

  Due.QuadPart = -10000LL * MILL_TICK_MS;
  KeSetTimerEx(&Mill->Timer, Due, MILL_TICK_MS, &Mill->TimerDpc);
  return STATUS_SUCCESS;
}

static NTSTATUS MillStartWorker(PMILL Mill) {
  PMILL_WORKER Worker = &Mill->Workers[Mill->WorkerCount];
  OBJECT_ATTRIBUTES Attributes;
  HANDLE Handle;
  NTSTATUS Status;
  PAGED_CODE();

  Worker->Mill = Mill;
  Worker->Index = Mill->WorkerCount;
  InitializeObjectAttributes(&Attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
  Status = PsCreateSystemThread(&Handle, THREAD_ALL_ACCESS, &Attributes, NULL, NULL, MillWork, Worker);
  if (!NT_SUCCESS(Status)) return Status;
  Status = ObReferenceObjectByHandle(Handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode, &Worker->Thread, NULL);
  NT_ASSERT(NT_SUCCESS(Status));  // the handle is ours and open
  ZwClose(Handle);
  Mill->WorkerCount++;
  return STATUS_SUCCESS;
}

// Also undoes a MillStart that came only part of the way.
static VOID MillStop(PDEVICE_OBJECT Device) {
  PMILL Mill = Device->DeviceExtension;
  PAGED_CODE();

  // No more jobs: the timer queues no DPC any more, and the last one has run.
  KeCancelTimer(&Mill->Timer);
  KeFlushQueuedDpcs();
  KeWaitForSingleObject(&Mill->ReportIdle, Executive, KernelMode, FALSE, NULL);

  KeSetEvent(&Mill->Stop, IO_NO_INCREMENT, FALSE);
  MillWaitForWorkers(Mill);
  if (Mill->WorkerCount == MILL_WORKERS) {
    MillMixPlaces(Mill);
    MillCheckBooks(Mill);
    DbgPrint("mill: %u jobs, checksum %08x\n", Mill->Consumed, Mill->Checksum);
  }

  if (Mill->Report != NULL) IoFreeWorkItem(Mill->Report);
  if (Mill->Log != NULL) ExFreePoolWithTag(Mill->Log, MILL_TAG);
  if (Mill->JobsReady) ExDeleteLookasideListEx(&Mill->Jobs);
  IoDeleteDevice(Device);
}

static VOID MillWaitForWorkers(PMILL Mill) {
  PVOID Threads[MILL_WORKERS];
  ULONG i;
  PAGED_CODE();
  C_ASSERT(MILL_WORKERS <= THREAD_WAIT_OBJECTS);  // more would need wait blocks

  if (Mill->WorkerCount == 0) return;
  for (i = 0; i < Mill->WorkerCount; i++) Threads[i] = Mill->Workers[i].Thread;
  KeWaitForMultipleObjects(Mill->WorkerCount, Threads, WaitAll, Executive, KernelMode, FALSE, NULL, NULL);
  for (i = 0; i < Mill->WorkerCount; i++) ObDereferenceObject(Threads[i]);
}

// Sorts the remembered places by address and mixes the order in which the jobs lay in memory into the checksum: two
// runs that print the same number had their blocks in the same order. All other threads have stopped.
static VOID MillMixPlaces(PMILL Mill) {
  ULONG i, j;
  PAGED_CODE();

  for (i = 1; i < Mill->Watched; i++) {
    MILL_PLACE Place = Mill->Places[i];
    for (j = i; j > 0 && Mill->Places[j - 1].Address > Place.Address; j--) Mill->Places[j] = Mill->Places[j - 1];
    Mill->Places[j] = Place;
  }
  for (i = 0; i < Mill->Watched; i++) Mill->Checksum = MillMix(Mill->Checksum, Mill->Places[i].Number);
}

// Every job that was made was ground once, by one of the workers.
static VOID MillCheckBooks(PMILL Mill) {
  ULONG Ground = 0, i;
  PAGED_CODE();

  for (i = 0; i < MILL_WORKERS; i++) Ground += Mill->Workers[i].Ground;
  NT_ASSERT(IsListEmpty(&Mill->Queue));
  NT_ASSERT(Mill->Produced == Ground);
  NT_ASSERT(Mill->Logged == Ground);
  NT_ASSERT(Mill->Consumed == Ground);
}
