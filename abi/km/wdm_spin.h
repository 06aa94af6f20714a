// Spin locks: plain, in-stack queued, interrupt, and reader-writer.
#pragma once
#pragma GCC system_header

#include "wdm_list.h"
#include "wdm_types.h"

typedef LONG EX_SPIN_LOCK, *PEX_SPIN_LOCK;

// Opaque to drivers; the fields are ours.
typedef struct _KLOCK_QUEUE_HANDLE {
  struct _KLOCK_QUEUE_HANDLE* Next;
  PKSPIN_LOCK Lock;
  KIRQL OldIrql;
} KLOCK_QUEUE_HANDLE, *PKLOCK_QUEUE_HANDLE;

EXTERN_C_START

VOID KeInitializeSpinLock(PKSPIN_LOCK SpinLock);
KIRQL KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK SpinLock);
VOID KeReleaseSpinLock(PKSPIN_LOCK SpinLock, KIRQL NewIrql);
VOID KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock);
VOID KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK SpinLock);
BOOLEAN KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock);
BOOLEAN KeTestSpinLock(PKSPIN_LOCK SpinLock);
KIRQL KeAcquireSpinLockForDpc(PKSPIN_LOCK SpinLock);
VOID KeReleaseSpinLockForDpc(PKSPIN_LOCK SpinLock, KIRQL OldIrql);

VOID KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle);
VOID KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle);
VOID KeAcquireInStackQueuedSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle);
VOID KeReleaseInStackQueuedSpinLockFromDpcLevel(PKLOCK_QUEUE_HANDLE LockHandle);
VOID KeAcquireInStackQueuedSpinLockForDpc(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle);
VOID KeReleaseInStackQueuedSpinLockForDpc(PKLOCK_QUEUE_HANDLE LockHandle);

KIRQL KeAcquireInterruptSpinLock(PKINTERRUPT Interrupt);
VOID KeReleaseInterruptSpinLock(PKINTERRUPT Interrupt, KIRQL OldIrql);

KIRQL ExAcquireSpinLockShared(PEX_SPIN_LOCK SpinLock);
KIRQL ExAcquireSpinLockExclusive(PEX_SPIN_LOCK SpinLock);
VOID ExAcquireSpinLockSharedAtDpcLevel(PEX_SPIN_LOCK SpinLock);
VOID ExAcquireSpinLockExclusiveAtDpcLevel(PEX_SPIN_LOCK SpinLock);
VOID ExReleaseSpinLockShared(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql);
VOID ExReleaseSpinLockExclusive(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql);
VOID ExReleaseSpinLockSharedFromDpcLevel(PEX_SPIN_LOCK SpinLock);
VOID ExReleaseSpinLockExclusiveFromDpcLevel(PEX_SPIN_LOCK SpinLock);
LOGICAL ExTryConvertSharedSpinLockExclusive(PEX_SPIN_LOCK SpinLock);

EXTERN_C_END

#define KeAcquireSpinLock(SpinLock, OldIrql) (*(OldIrql) = KeAcquireSpinLockRaiseToDpc(SpinLock))
