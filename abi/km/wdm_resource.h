// Executive resources (ERESOURCE) and push locks: one writer or many readers.
#pragma once
#pragma GCC system_header

#include "wdm_ke.h"

typedef ULONG_PTR ERESOURCE_THREAD;
typedef ERESOURCE_THREAD* PERESOURCE_THREAD;

// Opaque to drivers; the fields are ours.
typedef struct _ERESOURCE {
  ULONG Signature;
  ULONG OwnedExclusive;
  ULONG Owners;
  ULONG SharedWaiters;
  ULONG ExclusiveWaiters;
  KSEMAPHORE Shared;
  KEVENT Exclusive;
} ERESOURCE, *PERESOURCE;

// Opaque to drivers, and as large as a pointer. Zero is a free lock.
typedef ULONG_PTR EX_PUSH_LOCK, *PEX_PUSH_LOCK;

EXTERN_C_START

NTSTATUS ExInitializeResourceLite(PERESOURCE Resource);
NTSTATUS ExReinitializeResourceLite(PERESOURCE Resource);
NTSTATUS ExDeleteResourceLite(PERESOURCE Resource);
BOOLEAN ExAcquireResourceExclusiveLite(PERESOURCE Resource, BOOLEAN Wait);
BOOLEAN ExAcquireResourceSharedLite(PERESOURCE Resource, BOOLEAN Wait);
BOOLEAN ExAcquireSharedStarveExclusive(PERESOURCE Resource, BOOLEAN Wait);
BOOLEAN ExAcquireSharedWaitForExclusive(PERESOURCE Resource, BOOLEAN Wait);
VOID ExReleaseResourceLite(PERESOURCE Resource);
VOID ExReleaseResourceForThreadLite(PERESOURCE Resource, ERESOURCE_THREAD ResourceThreadId);
VOID ExConvertExclusiveToSharedLite(PERESOURCE Resource);
BOOLEAN ExIsResourceAcquiredExclusiveLite(PERESOURCE Resource);
ULONG ExIsResourceAcquiredSharedLite(PERESOURCE Resource);
ULONG ExGetExclusiveWaiterCount(PERESOURCE Resource);
ULONG ExGetSharedWaiterCount(PERESOURCE Resource);
PVOID ExEnterCriticalRegionAndAcquireResourceExclusive(PERESOURCE Resource);
VOID ExReleaseResourceAndLeaveCriticalRegion(PERESOURCE Resource);

VOID ExInitializePushLock(PEX_PUSH_LOCK PushLock);
VOID ExAcquirePushLockExclusive(PEX_PUSH_LOCK Lock);
VOID ExAcquirePushLockShared(PEX_PUSH_LOCK Lock);
VOID ExReleasePushLockExclusive(PEX_PUSH_LOCK Lock);
VOID ExReleasePushLockShared(PEX_PUSH_LOCK Lock);

EXTERN_C_END

#define ExGetCurrentResourceThread() ((ERESOURCE_THREAD)KeGetCurrentThread())
#define ExIsResourceAcquiredLite ExIsResourceAcquiredSharedLite
