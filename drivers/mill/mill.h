// A mill: a timer brings jobs, three threads grind them. It exists to be checked: small, and with one of everything
// that drivers get wrong. Built with one MILL_FAULT_… defined it gets that one thing wrong (drivers/bad/mill).
//
//   timer ──► DPC ──► queue ──► workers ──► totals and log
//              └────► work item: prints what was done so far
//
// Locks, outermost first: LogMutex, TotalsMutex; QueueLock and CountLock are taken alone.
#pragma once

#include <ntddk.h>

#define MILL_TAG 'lliM'
#define MILL_WORKERS 3
#define MILL_JOBS 50  // made in all; no multiple of a batch, so that the last batch is cut short
#define MILL_BATCH 4  // made at each tick
#define MILL_TICK_MS 10
#define MILL_WATCHED 16  // jobs whose addresses are remembered

typedef struct _MILL_JOB {
  LIST_ENTRY Link;
  ULONG Number;
  UCHAR Grain[64];
} MILL_JOB, *PMILL_JOB;

typedef struct _MILL_WORKER {
  struct _MILL* Mill;
  ULONG Index;
  PVOID Thread;
  ULONG Ground;  // written by this worker only
} MILL_WORKER, *PMILL_WORKER;

// Where a job's block lay. The block may be gone: only its place counts.
typedef struct _MILL_PLACE {
  ULONG_PTR Address;
  ULONG Number;
} MILL_PLACE, *PMILL_PLACE;

// The device extension.
typedef struct _MILL {
  LOOKASIDE_LIST_EX Jobs;
  BOOLEAN JobsReady;

  KTIMER Timer;
  KDPC TimerDpc;
  PIO_WORKITEM Report;
  KEVENT ReportIdle;  // signalled while the work item is not queued and does not run

  KSPIN_LOCK QueueLock;  // guards the next four
  LIST_ENTRY Queue;
  ULONG Produced;
  ULONG Watched;
  MILL_PLACE Places[MILL_WATCHED];
  KSEMAPHORE Available;  // one for each job that was queued

  KEVENT Stop;
  ULONG WorkerCount;
  MILL_WORKER Workers[MILL_WORKERS];

  KSPIN_LOCK CountLock;
  ULONG Consumed;

  KMUTEX LogMutex;
  PULONG Log;  // MILL_JOBS numbers, in the order the jobs were done; paged
  ULONG Logged;

  FAST_MUTEX TotalsMutex;
  ULONG Checksum;
} MILL, *PMILL;

KDEFERRED_ROUTINE MillTick;
IO_WORKITEM_ROUTINE MillReport;
KSTART_ROUTINE MillWork;

static inline ULONG MillMix(ULONG Checksum, ULONG Value) {
  Checksum = (Checksum ^ Value) * 16777619u;
  return Checksum ^ (Checksum >> 15);
}
