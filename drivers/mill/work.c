// The mill at work: the DPC that makes jobs, the workers that grind them, the report.
#include "mill.h"

static VOID MillEnterBooks(PMILL Mill, ULONG Worker);
static VOID MillLeaveBooks(PMILL Mill);
static VOID MillGrind(PMILL_WORKER Worker, PMILL_JOB Job);

// What takes a spin lock stays resident: it runs at DISPATCH_LEVEL for a while.
#pragma alloc_text(PAGE, MillEnterBooks, MillLeaveBooks, MillReport, MillGrind, MillWork)

// --- The books: log and totals ---

// `Worker`: the index of the calling worker; the report is no worker.
static VOID MillEnterBooks(PMILL Mill, ULONG Worker) {
  PAGED_CODE();
#ifdef MILL_FAULT_DEADLOCK
  if (Worker == 1) {
    ExAcquireFastMutex(&Mill->TotalsMutex);
    KeWaitForSingleObject(&Mill->LogMutex, Executive, KernelMode, FALSE, NULL);
    return;
  }
#endif
  UNREFERENCED_PARAMETER(Worker);
  KeWaitForSingleObject(&Mill->LogMutex, Executive, KernelMode, FALSE, NULL);
  ExAcquireFastMutex(&Mill->TotalsMutex);
}

static VOID MillLeaveBooks(PMILL Mill) {
  PAGED_CODE();
  ExReleaseFastMutex(&Mill->TotalsMutex);
  KeReleaseMutex(&Mill->LogMutex, FALSE);
}

VOID MillReport(PDEVICE_OBJECT Device, PVOID Context) {
  PMILL Mill = Device->DeviceExtension;
  PAGED_CODE();
  UNREFERENCED_PARAMETER(Context);

  MillEnterBooks(Mill, MILL_WORKERS);
  DbgPrint("mill: %u jobs so far, checksum %08x\n", Mill->Logged, Mill->Checksum);
  MillLeaveBooks(Mill);
  KeSetEvent(&Mill->ReportIdle, IO_NO_INCREMENT, FALSE);  // the device can go from here on
}

// --- Making jobs ---

// False when there are enough. The same DPC can run on two processors at once.
static BOOLEAN MillQueueJob(PMILL Mill, PMILL_JOB Job) {
  BOOLEAN Wanted;

  KeAcquireSpinLockAtDpcLevel(&Mill->QueueLock);
  Wanted = Mill->Produced < MILL_JOBS;
  if (Wanted) {
    Job->Number = Mill->Produced++;
    RtlFillMemory(Job->Grain, sizeof(Job->Grain), (UCHAR)Job->Number);
    if (Mill->Watched < MILL_WATCHED) {
      Mill->Places[Mill->Watched++] = (MILL_PLACE){.Address = (ULONG_PTR)Job, .Number = Job->Number};
    }
    InsertTailList(&Mill->Queue, &Job->Link);
  }
  KeReleaseSpinLockFromDpcLevel(&Mill->QueueLock);
  return Wanted;
}

// False when there will be no more.
static BOOLEAN MillMakeJob(PMILL Mill) {
  PMILL_JOB Job = ExAllocateFromLookasideListEx(&Mill->Jobs);
  if (Job == NULL) return TRUE;  // the next tick tries again
  if (!MillQueueJob(Mill, Job)) {
#ifndef MILL_FAULT_LEAK
    ExFreeToLookasideListEx(&Mill->Jobs, Job);
#endif
    return FALSE;
  }
  KeReleaseSemaphore(&Mill->Available, IO_NO_INCREMENT, 1, FALSE);
  return TRUE;
}

VOID MillTick(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
  PDEVICE_OBJECT Device = Context;
  PMILL Mill = Device->DeviceExtension;
  ULONG i;
  UNREFERENCED_PARAMETER(Dpc);
  UNREFERENCED_PARAMETER(Argument1);
  UNREFERENCED_PARAMETER(Argument2);

  for (i = 0; i < MILL_BATCH; i++) {
    if (!MillMakeJob(Mill)) {
      KeCancelTimer(&Mill->Timer);
      break;
    }
  }
#ifdef MILL_FAULT_WAIT_AT_DISPATCH
  KeWaitForSingleObject(&Mill->ReportIdle, Executive, KernelMode, FALSE, NULL);
#endif
  // The thread that resets the event has the work item to itself.
  if (KeResetEvent(&Mill->ReportIdle) != 0) IoQueueWorkItem(Mill->Report, MillReport, DelayedWorkQueue, NULL);
}

// --- Grinding them ---

static PMILL_JOB MillTakeJob(PMILL Mill) {
  PMILL_JOB Job = NULL;
  KIRQL OldIrql;

  KeAcquireSpinLock(&Mill->QueueLock, &OldIrql);
  if (!IsListEmpty(&Mill->Queue)) Job = CONTAINING_RECORD(RemoveHeadList(&Mill->Queue), MILL_JOB, Link);
  KeReleaseSpinLock(&Mill->QueueLock, OldIrql);
  return Job;
}

static ULONG MillChecksum(PMILL_JOB Job) {
  ULONG Checksum = 0, i;
  for (i = 0; i < sizeof(Job->Grain); i++) Checksum = MillMix(Checksum, Job->Grain[i]);
  return Checksum;
}

static ULONG MillCountAndChecksum(PMILL Mill, PMILL_JOB Job) {
#ifdef MILL_FAULT_LOST_UPDATE
  // "volatile" makes no lock: a count of another thread between the read and the write is lost.
  volatile ULONG* Consumed = &Mill->Consumed;
  ULONG Before = *Consumed;
  ULONG Checksum = MillChecksum(Job);
  *Consumed = Before + 1;
#else
  ULONG Checksum = MillChecksum(Job);
  KIRQL OldIrql;
  KeAcquireSpinLock(&Mill->CountLock, &OldIrql);
  Mill->Consumed++;
  KeReleaseSpinLock(&Mill->CountLock, OldIrql);
#endif
  return Checksum;
}

static VOID MillGrind(PMILL_WORKER Worker, PMILL_JOB Job) {
  PMILL Mill = Worker->Mill;
  ULONG Flour;
  PAGED_CODE();

  Flour = MillCountAndChecksum(Mill, Job);
  Worker->Ground++;
  MillEnterBooks(Mill, Worker->Index);
  Mill->Log[Mill->Logged++] = Job->Number;
  Mill->Checksum = MillMix(Mill->Checksum, Flour);
  MillLeaveBooks(Mill);
  ExFreeToLookasideListEx(&Mill->Jobs, Job);
}

VOID MillWork(PVOID Context) {
  PMILL_WORKER Worker = Context;
  PMILL Mill = Worker->Mill;
  PVOID Objects[2] = {&Mill->Available, &Mill->Stop};
  NTSTATUS Status;
  PMILL_JOB Job;
  PAGED_CODE();

#ifdef MILL_FAULT_SPIN
  // The second worker lets the first go first, and burns its processor until then: for ever, if no job comes.
  if (Worker->Index == 1) {
    volatile ULONG* First = &Mill->Workers[0].Ground;
    while (*First == 0) YieldProcessor();
  }
#endif
  for (;;) {
    Status = KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
    Job = MillTakeJob(Mill);
    if (Job != NULL) {
      MillGrind(Worker, Job);
    } else if (Status == STATUS_WAIT_1) {
      break;  // told to stop, and nothing is left to do
    }
  }
  PsTerminateSystemThread(STATUS_SUCCESS);
}
