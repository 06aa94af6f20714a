// Spin locks of all forms. Pages: wdm/nf-wdm-keacquirespinlock, nf-wdm-keacquireinstackqueuedspinlock,
// nf-wdm-exacquirespinlockshared, …
#include <fmt/format.h>

#include "nt/boundary/kernel_entry.h"
#include "nt/hardware/interrupts.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/irql.h"
#include "nt/ke/spin_locks.h"
#include "nt/mm/resident.h"

using nt::Fn;
using nt::KernelEntry;
using nt::LockKind;
using nt::Violation;

namespace {

// To DISPATCH_LEVEL, unless the caller is there already; returns where it was.
KIRQL raise_to_dispatch(KernelEntry& call) {
  KIRQL old = call.thread().irql;
  if (old < DISPATCH_LEVEL) call.machine().raise_irql(DISPATCH_LEVEL);
  return old;
}

// Back to what the acquire returned. A wrong value would run the rest of the driver at a wrong level.
void lower_back(KernelEntry& call, KIRQL to, const char* function) {
  KIRQL now = call.thread().irql;
  if (to > now) {
    call.machine().report_violation(
        Violation::LockIrqlMismatch,
        fmt::format("{} at {} was told to restore {}", function, nt::irql_name(now), nt::irql_name(to)));
    return;
  }
  if (to < now) call.machine().lower_irql(to);
}

}  // namespace

extern "C" {

VOID KeInitializeSpinLock(PKSPIN_LOCK lock) {
  KernelEntry call{Fn::KeInitializeSpinLock};
  nt::check_resident(call.machine(), lock, "a spin lock");
  auto address = reinterpret_cast<uintptr_t>(lock);
  bool live;
  {
    nt::Dispatcher::Guard guard(call.machine().dispatcher().lock());
    live = call.machine().dispatcher().live().find(address, nt::InUseKind::SpinWaiters) != nullptr;
  }
  if (live || nt::holds_lock(call.thread(), address)) {
    call.machine().report_violation(Violation::ReinitialisedLive, "KeInitializeSpinLock of a lock that is held");
  }
  *lock = 0;
}

KIRQL KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK lock) {
  KernelEntry call{Fn::KeAcquireSpinLockRaiseToDpc};
  KIRQL old = raise_to_dispatch(call);
  nt::acquire_spin(call.machine(), lock, LockKind::Spin);
  return old;
}

VOID KeReleaseSpinLock(PKSPIN_LOCK lock, KIRQL old) {
  KernelEntry call{Fn::KeReleaseSpinLock};
  nt::release_spin(call.machine(), lock, LockKind::Spin);
  lower_back(call, old, "KeReleaseSpinLock");
}

VOID KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK lock) {
  KernelEntry call{Fn::KeAcquireSpinLockAtDpcLevel};
  nt::acquire_spin(call.machine(), lock, LockKind::Spin);
}

VOID KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK lock) {
  KernelEntry call{Fn::KeReleaseSpinLockFromDpcLevel};
  nt::release_spin(call.machine(), lock, LockKind::Spin);
}

BOOLEAN KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK lock) {
  KernelEntry call{Fn::KeTryToAcquireSpinLockAtDpcLevel};
  return nt::try_acquire_spin(call.machine(), lock, LockKind::Spin);
}

BOOLEAN KeTestSpinLock(PKSPIN_LOCK lock) {
  KernelEntry call{Fn::KeTestSpinLock};
  call.machine().executor().yield(base::Point::Lock);
  return nt::is_spin_free(lock);
}

// In a DPC the caller is at DISPATCH_LEVEL, in a threaded DPC it may be below. As documented, these functions find out
// which.
KIRQL KeAcquireSpinLockForDpc(PKSPIN_LOCK lock) {
  KernelEntry call{Fn::KeAcquireSpinLockForDpc};
  KIRQL old = raise_to_dispatch(call);
  nt::acquire_spin(call.machine(), lock, LockKind::Spin);
  return old;
}

VOID KeReleaseSpinLockForDpc(PKSPIN_LOCK lock, KIRQL old) {
  KernelEntry call{Fn::KeReleaseSpinLockForDpc};
  nt::release_spin(call.machine(), lock, LockKind::Spin);
  lower_back(call, old, "KeReleaseSpinLockForDpc");
}

VOID KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK lock, PKLOCK_QUEUE_HANDLE handle) {
  KernelEntry call{Fn::KeAcquireInStackQueuedSpinLock};
  *handle = {nullptr, lock, raise_to_dispatch(call)};
  nt::acquire_spin(call.machine(), lock, LockKind::QueuedSpin);
}

VOID KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE handle) {
  KernelEntry call{Fn::KeReleaseInStackQueuedSpinLock};
  nt::release_spin(call.machine(), handle->Lock, LockKind::QueuedSpin);
  lower_back(call, handle->OldIrql, "KeReleaseInStackQueuedSpinLock");
}

VOID KeAcquireInStackQueuedSpinLockAtDpcLevel(PKSPIN_LOCK lock, PKLOCK_QUEUE_HANDLE handle) {
  KernelEntry call{Fn::KeAcquireInStackQueuedSpinLockAtDpcLevel};
  *handle = {nullptr, lock, call.thread().irql};
  nt::acquire_spin(call.machine(), lock, LockKind::QueuedSpin);
}

VOID KeReleaseInStackQueuedSpinLockFromDpcLevel(PKLOCK_QUEUE_HANDLE handle) {
  KernelEntry call{Fn::KeReleaseInStackQueuedSpinLockFromDpcLevel};
  nt::release_spin(call.machine(), handle->Lock, LockKind::QueuedSpin);
}

VOID KeAcquireInStackQueuedSpinLockForDpc(PKSPIN_LOCK lock, PKLOCK_QUEUE_HANDLE handle) {
  KernelEntry call{Fn::KeAcquireInStackQueuedSpinLockForDpc};
  *handle = {nullptr, lock, raise_to_dispatch(call)};
  nt::acquire_spin(call.machine(), lock, LockKind::QueuedSpin);
}

VOID KeReleaseInStackQueuedSpinLockForDpc(PKLOCK_QUEUE_HANDLE handle) {
  KernelEntry call{Fn::KeReleaseInStackQueuedSpinLockForDpc};
  nt::release_spin(call.machine(), handle->Lock, LockKind::QueuedSpin);
  lower_back(call, handle->OldIrql, "KeReleaseInStackQueuedSpinLockForDpc");
}

KIRQL KeAcquireInterruptSpinLock(PKINTERRUPT interrupt) {
  KernelEntry call{Fn::KeAcquireInterruptSpinLock};
  return call.machine().interrupts().acquire(*interrupt);
}

VOID KeReleaseInterruptSpinLock(PKINTERRUPT interrupt, KIRQL old) {
  KernelEntry call{Fn::KeReleaseInterruptSpinLock};
  call.machine().interrupts().release(*interrupt, old);
}

KIRQL ExAcquireSpinLockShared(PEX_SPIN_LOCK lock) {
  KernelEntry call{Fn::ExAcquireSpinLockShared};
  KIRQL old = raise_to_dispatch(call);
  nt::acquire_shared_spin(call.machine(), lock);
  return old;
}

KIRQL ExAcquireSpinLockExclusive(PEX_SPIN_LOCK lock) {
  KernelEntry call{Fn::ExAcquireSpinLockExclusive};
  KIRQL old = raise_to_dispatch(call);
  nt::acquire_exclusive_spin(call.machine(), lock);
  return old;
}

VOID ExAcquireSpinLockSharedAtDpcLevel(PEX_SPIN_LOCK lock) {
  KernelEntry call{Fn::ExAcquireSpinLockSharedAtDpcLevel};
  nt::acquire_shared_spin(call.machine(), lock);
}

VOID ExAcquireSpinLockExclusiveAtDpcLevel(PEX_SPIN_LOCK lock) {
  KernelEntry call{Fn::ExAcquireSpinLockExclusiveAtDpcLevel};
  nt::acquire_exclusive_spin(call.machine(), lock);
}

VOID ExReleaseSpinLockShared(PEX_SPIN_LOCK lock, KIRQL old) {
  KernelEntry call{Fn::ExReleaseSpinLockShared};
  nt::release_shared_spin(call.machine(), lock);
  lower_back(call, old, "ExReleaseSpinLockShared");
}

VOID ExReleaseSpinLockExclusive(PEX_SPIN_LOCK lock, KIRQL old) {
  KernelEntry call{Fn::ExReleaseSpinLockExclusive};
  nt::release_exclusive_spin(call.machine(), lock);
  lower_back(call, old, "ExReleaseSpinLockExclusive");
}

VOID ExReleaseSpinLockSharedFromDpcLevel(PEX_SPIN_LOCK lock) {
  KernelEntry call{Fn::ExReleaseSpinLockSharedFromDpcLevel};
  nt::release_shared_spin(call.machine(), lock);
}

VOID ExReleaseSpinLockExclusiveFromDpcLevel(PEX_SPIN_LOCK lock) {
  KernelEntry call{Fn::ExReleaseSpinLockExclusiveFromDpcLevel};
  nt::release_exclusive_spin(call.machine(), lock);
}

LOGICAL ExTryConvertSharedSpinLockExclusive(PEX_SPIN_LOCK lock) {
  KernelEntry call{Fn::ExTryConvertSharedSpinLockExclusive};
  return nt::try_convert_shared_spin(call.machine(), lock);
}

}  // extern "C"
