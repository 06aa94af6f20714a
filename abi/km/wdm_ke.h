// Kernel objects and services: IRQL, processors, events, mutexes, semaphores, waits, time, bug checks.
//
// The documentation calls these objects opaque, so their fields are ours. They are plain data because
// drivers embed, clear and copy them and never destroy them: all state that lasts is in the object.
#pragma once
#pragma GCC system_header

#include "wdm_list.h"
#include "wdm_types.h"

typedef struct _DISPATCHER_HEADER {
  UCHAR Type;
  UCHAR Reserved0;
  USHORT Signature;
  LONG SignalState;
  ULONG_PTR Reserved1[2];
} DISPATCHER_HEADER, *PDISPATCHER_HEADER;

typedef enum _EVENT_TYPE { NotificationEvent, SynchronizationEvent } EVENT_TYPE;
typedef enum _TIMER_TYPE { NotificationTimer, SynchronizationTimer } TIMER_TYPE;
typedef enum _WAIT_TYPE { WaitAll, WaitAny } WAIT_TYPE;
typedef enum _KWAIT_REASON {
  Executive,
  FreePage,
  PageIn,
  PoolAllocation,
  DelayExecution,
  Suspended,
  UserRequest
} KWAIT_REASON;

typedef struct _KEVENT {
  DISPATCHER_HEADER Header;
} KEVENT, *PKEVENT, *PRKEVENT;

typedef struct _KSEMAPHORE {
  DISPATCHER_HEADER Header;
  LONG Limit;
} KSEMAPHORE, *PKSEMAPHORE, *PRKSEMAPHORE;

typedef struct _KMUTANT {
  DISPATCHER_HEADER Header;
  PVOID OwnerThread;
  LONG Depth;
  BOOLEAN Abandoned;
} KMUTANT, *PKMUTANT, *PRKMUTANT, KMUTEX, *PKMUTEX, *PRKMUTEX;

typedef struct _KTIMER {
  DISPATCHER_HEADER Header;
  ULONGLONG DueTime;
  struct _KDPC* Dpc;
  LONG Period;
  ULONG Reserved;
} KTIMER, *PKTIMER, *PRKTIMER;

typedef struct _KWAIT_BLOCK {
  ULONG_PTR Reserved[6];
} KWAIT_BLOCK, *PKWAIT_BLOCK, *PRKWAIT_BLOCK;

#define MAXIMUM_WAIT_OBJECTS 64
#define THREAD_WAIT_OBJECTS 3

// Priority boosts. The machine accepts and ignores them.
#define EVENT_INCREMENT 1
#define IO_NO_INCREMENT 0
#define IO_VIDEO_INCREMENT 1
#define IO_SOUND_INCREMENT 8
#define SEMAPHORE_INCREMENT 1

#define LOW_PRIORITY 0
#define LOW_REALTIME_PRIORITY 16
#define HIGH_PRIORITY 31
#define MAXIMUM_PRIORITY 32

EXTERN_C_START

KIRQL KeGetCurrentIrql(VOID);
KIRQL KfRaiseIrql(KIRQL NewIrql);
KIRQL KeRaiseIrqlToDpcLevel(VOID);
VOID KeLowerIrql(KIRQL NewIrql);

ULONG KeGetCurrentProcessorNumber(VOID);
ULONG KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER ProcNumber);
ULONG KeGetCurrentProcessorIndex(VOID);
ULONG KeQueryActiveProcessorCount(PKAFFINITY ActiveProcessors);
ULONG KeQueryActiveProcessorCountEx(USHORT GroupNumber);
KAFFINITY KeQueryActiveProcessors(VOID);
ULONG KeQueryMaximumProcessorCount(VOID);
ULONG KeQueryMaximumProcessorCountEx(USHORT GroupNumber);

VOID KeInitializeEvent(PRKEVENT Event, EVENT_TYPE Type, BOOLEAN State);
LONG KeSetEvent(PRKEVENT Event, KPRIORITY Increment, BOOLEAN Wait);
LONG KeResetEvent(PRKEVENT Event);
VOID KeClearEvent(PRKEVENT Event);
LONG KeReadStateEvent(PRKEVENT Event);

VOID KeInitializeMutex(PRKMUTEX Mutex, ULONG Level);
LONG KeReleaseMutex(PRKMUTEX Mutex, BOOLEAN Wait);
LONG KeReadStateMutex(PRKMUTEX Mutex);

VOID KeInitializeSemaphore(PRKSEMAPHORE Semaphore, LONG Count, LONG Limit);
LONG KeReleaseSemaphore(PRKSEMAPHORE Semaphore, KPRIORITY Increment, LONG Adjustment, BOOLEAN Wait);
LONG KeReadStateSemaphore(PRKSEMAPHORE Semaphore);

NTSTATUS KeWaitForSingleObject(PVOID Object, KWAIT_REASON WaitReason, KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                               PLARGE_INTEGER Timeout);
NTSTATUS KeWaitForMultipleObjects(ULONG Count, PVOID Object[], WAIT_TYPE WaitType, KWAIT_REASON WaitReason,
                                  KPROCESSOR_MODE WaitMode, BOOLEAN Alertable, PLARGE_INTEGER Timeout,
                                  PKWAIT_BLOCK WaitBlockArray);
NTSTATUS KeDelayExecutionThread(KPROCESSOR_MODE WaitMode, BOOLEAN Alertable, PLARGE_INTEGER Interval);

PKTHREAD KeGetCurrentThread(VOID);
KPRIORITY KeSetPriorityThread(PKTHREAD Thread, KPRIORITY Priority);
KPRIORITY KeQueryPriorityThread(PKTHREAD Thread);
VOID KeSetSystemAffinityThread(KAFFINITY Affinity);
KAFFINITY KeSetSystemAffinityThreadEx(KAFFINITY Affinity);
VOID KeRevertToUserAffinityThread(VOID);
VOID KeRevertToUserAffinityThreadEx(KAFFINITY Affinity);

VOID KeEnterCriticalRegion(VOID);
VOID KeLeaveCriticalRegion(VOID);
VOID KeEnterGuardedRegion(VOID);
VOID KeLeaveGuardedRegion(VOID);
BOOLEAN KeAreApcsDisabled(VOID);
BOOLEAN KeAreAllApcsDisabled(VOID);

VOID KeQuerySystemTime(PLARGE_INTEGER CurrentTime);
VOID KeQuerySystemTimePrecise(PLARGE_INTEGER CurrentTime);
VOID KeQueryTickCount(PLARGE_INTEGER CurrentCount);
ULONG KeQueryTimeIncrement(VOID);
ULONGLONG KeQueryInterruptTime(VOID);
ULONGLONG KeQueryInterruptTimePrecise(PULONG64 QpcTimeStamp);
ULONGLONG KeQueryUnbiasedInterruptTime(VOID);
LARGE_INTEGER KeQueryPerformanceCounter(PLARGE_INTEGER PerformanceFrequency);
VOID KeStallExecutionProcessor(ULONG MicroSeconds);

DRYDOCK_NORETURN VOID KeBugCheck(ULONG BugCheckCode);
DRYDOCK_NORETURN VOID KeBugCheckEx(ULONG BugCheckCode, ULONG_PTR BugCheckParameter1, ULONG_PTR BugCheckParameter2,
                                   ULONG_PTR BugCheckParameter3, ULONG_PTR BugCheckParameter4);

EXTERN_C_END

#define KeRaiseIrql(a, b) (*(b) = KfRaiseIrql(a))
#define KeWaitForMutexObject KeWaitForSingleObject
