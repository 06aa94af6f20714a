// Files, and the bytes that go through them.
#include "pipe.h"

static IO_CSQ_INSERT_IRP PipeInsertRead;
static IO_CSQ_REMOVE_IRP PipeRemoveRead;
static IO_CSQ_PEEK_NEXT_IRP PipePeekRead;
static IO_CSQ_ACQUIRE_LOCK PipeLockReads;
static IO_CSQ_RELEASE_LOCK PipeUnlockReads;
static IO_CSQ_COMPLETE_CANCELED_IRP PipeReadCancelled;

// --- The queue of reads ---

static PPIPE PipeOf(PIO_CSQ Reads) { return CONTAINING_RECORD(Reads, PIPE, Reads); }

static VOID PipeInsertRead(PIO_CSQ Reads, PIRP Irp) {
  InsertTailList(&PipeOf(Reads)->ReadList, &Irp->Tail.Overlay.ListEntry);
}

static VOID PipeRemoveRead(PIO_CSQ Reads, PIRP Irp) {
  UNREFERENCED_PARAMETER(Reads);
  RemoveEntryList(&Irp->Tail.Overlay.ListEntry);
}

// The next read behind Irp; with a file, the next read of that file.
static PIRP PipePeekRead(PIO_CSQ Reads, PIRP Irp, PVOID File) {
  PPIPE Pipe = PipeOf(Reads);
  PLIST_ENTRY Entry = Irp ? Irp->Tail.Overlay.ListEntry.Flink : Pipe->ReadList.Flink;

  for (; Entry != &Pipe->ReadList; Entry = Entry->Flink) {
    PIRP Next = CONTAINING_RECORD(Entry, IRP, Tail.Overlay.ListEntry);
    if (File == NULL || IoGetCurrentIrpStackLocation(Next)->FileObject == File) return Next;
  }
  return NULL;
}

static VOID PipeLockReads(PIO_CSQ Reads, PKIRQL Irql) { KeAcquireSpinLock(&PipeOf(Reads)->ReadLock, Irql); }
static VOID PipeUnlockReads(PIO_CSQ Reads, KIRQL Irql) { KeReleaseSpinLock(&PipeOf(Reads)->ReadLock, Irql); }

static VOID PipeReadCancelled(PIO_CSQ Reads, PIRP Irp) { PipeFinish(PipeOf(Reads), Irp, STATUS_CANCELLED, 0); }

VOID PipeInitializeQueue(PPIPE Pipe) {
  KeInitializeSpinLock(&Pipe->ReadLock);
  InitializeListHead(&Pipe->ReadList);
  IoCsqInitialize(&Pipe->Reads, PipeInsertRead, PipeRemoveRead, PipePeekRead, PipeLockReads, PipeUnlockReads,
                  PipeReadCancelled);
}

VOID PipeFailReads(PPIPE Pipe, PFILE_OBJECT File, NTSTATUS Status) {
  PIRP Irp;

  while ((Irp = IoCsqRemoveNextIrp(&Pipe->Reads, File)) != NULL) PipeFinish(Pipe, Irp, Status, 0);
}

// --- The ring ---

ULONG PipePut(PPIPE Pipe, const UCHAR* Bytes, ULONG Count) {
  KIRQL Irql;
  ULONG i;

  KeAcquireSpinLock(&Pipe->RingLock, &Irql);
  if (Count > PIPE_BYTES - Pipe->Count) Count = PIPE_BYTES - Pipe->Count;
  for (i = 0; i < Count; i++) Pipe->Ring[(Pipe->First + Pipe->Count + i) % PIPE_BYTES] = Bytes[i];
  Pipe->Count += Count;
  KeReleaseSpinLock(&Pipe->RingLock, Irql);
  if (Count != 0) PipeRing(Pipe);
  return Count;
}

// With RingLock held. Bytes null: they are discarded.
static ULONG PipeTakeLocked(PPIPE Pipe, PUCHAR Bytes, ULONG Count, BOOLEAN Stay) {
  ULONG i;

  if (Count > Pipe->Count) Count = Pipe->Count;
  for (i = 0; Bytes != NULL && i < Count; i++) Bytes[i] = Pipe->Ring[(Pipe->First + i) % PIPE_BYTES];
  if (!Stay) {
    Pipe->First = (Pipe->First + Count) % PIPE_BYTES;
    Pipe->Count -= Count;
  }
  return Count;
}

ULONG PipeTake(PPIPE Pipe, PUCHAR Bytes, ULONG Count, BOOLEAN Stay) {
  KIRQL Irql;

  KeAcquireSpinLock(&Pipe->RingLock, &Irql);
  Count = PipeTakeLocked(Pipe, Bytes, Count, Stay);
  KeReleaseSpinLock(&Pipe->RingLock, Irql);
  return Count;
}

// Takes the oldest read off the queue and fills its buffer, if there are bytes for it.
static PIRP PipeServeOne(PPIPE Pipe, PULONG Count) {
  PIRP Irp = NULL;

  KeAcquireSpinLockAtDpcLevel(&Pipe->RingLock);
  if (Pipe->Count != 0) Irp = IoCsqRemoveNextIrp(&Pipe->Reads, NULL);
  if (Irp != NULL) {
    *Count = PipeTakeLocked(Pipe, Irp->AssociatedIrp.SystemBuffer,
                            IoGetCurrentIrpStackLocation(Irp)->Parameters.Read.Length, FALSE);
  }
  KeReleaseSpinLockFromDpcLevel(&Pipe->RingLock);
  return Irp;
}

// While the device is stopped reads stay in the queue.
VOID PipeServeReads(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
  PPIPE Pipe = Context;
  PIRP Irp;
  ULONG Count;
  LONG State;
  UNREFERENCED_PARAMETER(Dpc);
  UNREFERENCED_PARAMETER(Argument1);
  UNREFERENCED_PARAMETER(Argument2);

  State = ReadNoFence(&Pipe->State);
  if (State == PipeStopPending || State == PipeStopped) return;
  while ((Irp = PipeServeOne(Pipe, &Count)) != NULL) PipeFinish(Pipe, Irp, STATUS_SUCCESS, Count);
}

// --- Requests ---

NTSTATUS PipeReady(PPIPE Pipe) {
  switch (ReadNoFence(&Pipe->State)) {
    case PipeNotStarted:
      return STATUS_DEVICE_NOT_READY;
    case PipeSurpriseRemoved:
    case PipeRemoved:
      return STATUS_DEVICE_REMOVED;
    default:
      return STATUS_SUCCESS;
  }
}

// Takes the remove lock. On failure the request is completed.
static NTSTATUS PipeBegin(PPIPE Pipe, PIRP Irp) {
  NTSTATUS Status = IoAcquireRemoveLock(&Pipe->RemoveLock, Irp);

  if (!NT_SUCCESS(Status)) return PipeComplete(Irp, Status, 0);
  Status = PipeReady(Pipe);
  return NT_SUCCESS(Status) ? Status : PipeFinish(Pipe, Irp, Status, 0);
}

NTSTATUS PipeCreate(PDEVICE_OBJECT Device, PIRP Irp) {
  PPIPE Pipe = Device->DeviceExtension;
  NTSTATUS Status = PipeBegin(Pipe, Irp);

  if (!NT_SUCCESS(Status)) return Status;
  if (IoGetCurrentIrpStackLocation(Irp)->FileObject->FileName.Length != 0) Status = STATUS_OBJECT_NAME_NOT_FOUND;
  if (ReadNoFence(&Pipe->State) == PipeRemovePending) Status = STATUS_DELETE_PENDING;
  return PipeFinish(Pipe, Irp, Status, 0);
}

// A file that was opened is closed, whatever became of the device.
NTSTATUS PipeCleanup(PDEVICE_OBJECT Device, PIRP Irp) {
  PPIPE Pipe = Device->DeviceExtension;

  PipeFailReads(Pipe, IoGetCurrentIrpStackLocation(Irp)->FileObject, STATUS_CANCELLED);
  return PipeComplete(Irp, STATUS_SUCCESS, 0);
}

NTSTATUS PipeClose(PDEVICE_OBJECT Device, PIRP Irp) {
  UNREFERENCED_PARAMETER(Device);
  return PipeComplete(Irp, STATUS_SUCCESS, 0);
}

NTSTATUS PipeRead(PDEVICE_OBJECT Device, PIRP Irp) {
  PPIPE Pipe = Device->DeviceExtension;
  NTSTATUS Status = PipeBegin(Pipe, Irp);

  if (!NT_SUCCESS(Status)) return Status;
  if (IoGetCurrentIrpStackLocation(Irp)->Parameters.Read.Length == 0) {
    return PipeFinish(Pipe, Irp, STATUS_SUCCESS, 0);
  }
  IoCsqInsertIrp(&Pipe->Reads, Irp, NULL);
  // From here on the request may be gone. A removal that came in between did not see it, and waits for it.
  if (ReadNoFence(&Pipe->State) >= PipeSurpriseRemoved) {
    PipeFailReads(Pipe, NULL, STATUS_DEVICE_REMOVED);
  } else {
    PipeRing(Pipe);
  }
  return STATUS_PENDING;
}

NTSTATUS PipeWrite(PDEVICE_OBJECT Device, PIRP Irp) {
  PPIPE Pipe = Device->DeviceExtension;
  ULONG Length = IoGetCurrentIrpStackLocation(Irp)->Parameters.Write.Length;
  NTSTATUS Status = PipeBegin(Pipe, Irp);
  ULONG Count;

  if (!NT_SUCCESS(Status)) return Status;
  Count = Length ? PipePut(Pipe, Irp->AssociatedIrp.SystemBuffer, Length) : 0;
  Status = Count == 0 && Length != 0 ? STATUS_DEVICE_BUSY : STATUS_SUCCESS;
  return PipeFinish(Pipe, Irp, Status, Count);
}

NTSTATUS PipeFlush(PDEVICE_OBJECT Device, PIRP Irp) {
  PPIPE Pipe = Device->DeviceExtension;
  NTSTATUS Status = PipeBegin(Pipe, Irp);

  return NT_SUCCESS(Status) ? PipeFinish(Pipe, Irp, STATUS_SUCCESS, 0) : Status;
}

NTSTATUS PipeQueryInformation(PDEVICE_OBJECT Device, PIRP Irp) {
  PPIPE Pipe = Device->DeviceExtension;
  PIO_STACK_LOCATION At = IoGetCurrentIrpStackLocation(Irp);
  PFILE_STANDARD_INFORMATION Answer = Irp->AssociatedIrp.SystemBuffer;
  NTSTATUS Status = PipeBegin(Pipe, Irp);

  if (!NT_SUCCESS(Status)) return Status;
  if (At->Parameters.QueryFile.FileInformationClass != FileStandardInformation) {
    return PipeFinish(Pipe, Irp, STATUS_INVALID_PARAMETER, 0);
  }
  if (At->Parameters.QueryFile.Length < sizeof(*Answer)) return PipeFinish(Pipe, Irp, STATUS_BUFFER_TOO_SMALL, 0);
  RtlZeroMemory(Answer, sizeof(*Answer));
  Answer->EndOfFile.QuadPart = PipeTake(Pipe, NULL, PIPE_BYTES, TRUE);
  Answer->NumberOfLinks = 1;
  return PipeFinish(Pipe, Irp, STATUS_SUCCESS, sizeof(*Answer));
}
