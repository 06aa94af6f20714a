// A pipe: what programs write to the device, programs read from it, in order. A correct Plug and Play function driver,
// and the reference for the NT scenarios: it has a dispatch routine for everything that a program or the Plug and Play
// manager sends, and reads that pend.
//
//   write, PUT ──► ring of bytes ──► doorbell register ──► interrupt ──► DPC ──► completes reads
//   read ──► cancel-safe queue ─────────────────────────────────────────┘
//
// pipe.c: from DriverEntry to DriverUnload, and the device object. pnp.c: Plug and Play. power.c: power. hardware.c:
// the registers and the interrupt. transfer.c: files, reads, writes. control.c: controls.
//
// Every request holds the remove lock until it is completed. Spin locks, outermost first: RingLock, ReadLock;
// HardwareLock is taken alone.
#pragma once

#include <ntddk.h>

#define PIPE_TAG 'epiP'
#define PIPE_BYTES 4096

#define IOCTL_PIPE_COUNT CTL_CODE(FILE_DEVICE_UNKNOWN, 0x800, METHOD_BUFFERED, FILE_ANY_ACCESS)     // out: ULONG
#define IOCTL_PIPE_PUT CTL_CODE(FILE_DEVICE_UNKNOWN, 0x801, METHOD_IN_DIRECT, FILE_WRITE_ACCESS)    // like a write
#define IOCTL_PIPE_PEEK CTL_CODE(FILE_DEVICE_UNKNOWN, 0x802, METHOD_OUT_DIRECT, FILE_READ_ACCESS)   // bytes stay
#define IOCTL_PIPE_DISCARD CTL_CODE(FILE_DEVICE_UNKNOWN, 0x803, METHOD_NEITHER, FILE_WRITE_ACCESS)  // in, out: ULONG

typedef enum _PIPE_STATE {
  PipeNotStarted,
  PipeStarted,
  PipeStopPending,
  PipeStopped,
  PipeRemovePending,
  PipeSurpriseRemoved,
  PipeRemoved
} PIPE_STATE;

// The device extension.
typedef struct _PIPE {
  PDEVICE_OBJECT Self;
  PDEVICE_OBJECT Physical;
  PDEVICE_OBJECT Below;
  IO_REMOVE_LOCK RemoveLock;
  UNICODE_STRING InterfaceName;
  BOOLEAN InterfaceEnabled;

  // Changed by Plug and Play requests, which come one at a time; read by all.
  volatile LONG State;
  volatile LONG StateBefore;  // of a query that may be taken back

  KSPIN_LOCK RingLock;  // guards the next three
  UCHAR Ring[PIPE_BYTES];
  ULONG First;
  ULONG Count;

  IO_CSQ Reads;
  KSPIN_LOCK ReadLock;  // guards the list
  LIST_ENTRY ReadList;
  KDPC Dpc;

  KSPIN_LOCK HardwareLock;  // guards the next two
  PUCHAR Registers;         // null: do not touch them
  DEVICE_POWER_STATE Power;
  PUCHAR Mapped;  // for the interrupt's routine, as long as it is connected
  SIZE_T MappedBytes;
  PKINTERRUPT Interrupt;
} PIPE, *PPIPE;

// pipe.c
NTSTATUS PipeComplete(PIRP Irp, NTSTATUS Status, ULONG_PTR Information);
// Completes a request that holds the remove lock.
NTSTATUS PipeFinish(PPIPE Pipe, PIRP Irp, NTSTATUS Status, ULONG_PTR Information);
// Passes a request on that holds the remove lock, and needs nothing done afterwards.
NTSTATUS PipePassOn(PPIPE Pipe, PIRP Irp);
DRIVER_DISPATCH PipePassOnDispatch;

// pnp.c, power.c
DRIVER_DISPATCH PipePnp;
DRIVER_DISPATCH PipePower;

// hardware.c
NTSTATUS PipeStartHardware(PPIPE Pipe, PCM_RESOURCE_LIST Resources);
VOID PipeStopHardware(PPIPE Pipe);
VOID PipeSetPower(PPIPE Pipe, DEVICE_POWER_STATE Power);
// Bytes or a read have come: the DPC will look after them.
VOID PipeRing(PPIPE Pipe);

// transfer.c
VOID PipeInitializeQueue(PPIPE Pipe);
// Takes reads off the queue and completes them: those of a file, or all.
VOID PipeFailReads(PPIPE Pipe, PFILE_OBJECT File, NTSTATUS Status);
ULONG PipePut(PPIPE Pipe, const UCHAR* Bytes, ULONG Count);
ULONG PipeTake(PPIPE Pipe, PUCHAR Bytes, ULONG Count, BOOLEAN Stay);
KDEFERRED_ROUTINE PipeServeReads;
DRIVER_DISPATCH PipeCreate;
DRIVER_DISPATCH PipeCleanup;
DRIVER_DISPATCH PipeClose;
DRIVER_DISPATCH PipeRead;
DRIVER_DISPATCH PipeWrite;
DRIVER_DISPATCH PipeFlush;
DRIVER_DISPATCH PipeQueryInformation;
// STATUS_SUCCESS when the device takes requests now.
NTSTATUS PipeReady(PPIPE Pipe);

// control.c
DRIVER_DISPATCH PipeControl;
