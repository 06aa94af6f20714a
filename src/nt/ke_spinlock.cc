// Spin locks of all forms. Pages: wdm/nf-wdm-keacquirespinlock, nf-wdm-keacquireinstackqueuedspinlock,
// nf-wdm-exacquirespinlockshared, …
#include <fmt/format.h>

#include "nt/call.h"
#include "nt/dispatcher.h"
#include "nt/interrupts.h"
#include "nt/irql.h"
#include "nt/spin_locks.h"

using nt::Broke;
using nt::Call;
using nt::Fn;
using nt::LockKind;

namespace {

// To DISPATCH_LEVEL, unless the caller is there already; returns where it was.
KIRQL raise_to_dispatch(Call& call) {
  KIRQL old = call.thread().irql;
  if (old < DISPATCH_LEVEL) call.machine().raise_irql(DISPATCH_LEVEL);
  return old;
}

// Back to what the acquire returned. A wrong value would run the rest of the driver at a wrong level.
void lower_back(Call& call, KIRQL to, const char* function) {
  KIRQL now = call.thread().irql;
  if (to > now) {
    call.machine().broke(Broke::LockIrqlMismatch, fmt::format("{} at {} was told to restore {}", function,
                                                              nt::irql_name(now), nt::irql_name(to)));
    return;
  }
  if (to < now) call.machine().lower_irql(to);
}

}  // namespace

extern "C" {

VOID KeInitializeSpinLock(PKSPIN_LOCK lock) {
  Call call{Fn::KeInitializeSpinLock};
  auto address = reinterpret_cast<uintptr_t>(lock);
  bool live;
  {
    nt::Dispatcher::Guard guard(call.machine().dispatcher().lock());
    live = call.machine().dispatcher().live().find(address, nt::LiveKind::SpinWaiters) != nullptr;
  }
  if (live || nt::holds_lock(call.thread(), address)) {
    call.machine().broke(Broke::ReinitialisedLive, "KeInitializeSpinLock of a lock that is held");
  }
  *lock = 0;
}

KIRQL KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK lock) {
  Call call{Fn::KeAcquireSpinLockRaiseToDpc};
  KIRQL old = raise_to_dispatch(call);
  nt::acquire_spin(call.machine(), lock, LockKind::Spin);
  return old;
}

VOID KeReleaseSpinLock(PKSPIN_LOCK lock, KIRQL old) {
  Call call{Fn::KeReleaseSpinLock};
  nt::release_spin(call.machine(), lock, LockKind::Spin);
  lower_back(call, old, "KeReleaseSpinLock");
}

VOID KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK lock) {
  Call call{Fn::KeAcquireSpinLockAtDpcLevel};
  nt::acquire_spin(call.machine(), lock, LockKind::Spin);
}

VOID KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK lock) {
  Call call{Fn::KeReleaseSpinLockFromDpcLevel};
  nt::release_spin(call.machine(), lock, LockKind::Spin);
}

BOOLEAN KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK lock) {
  Call call{Fn::KeTryToAcquireSpinLockAtDpcLevel};
  return nt::try_acquire_spin(call.machine(), lock, LockKind::Spin);
}

BOOLEAN KeTestSpinLock(PKSPIN_LOCK lock) {
  Call call{Fn::KeTestSpinLock};
  call.machine().executor().yield(base::Point::Lock);
  return __atomic_load_n(lock, __ATOMIC_ACQUIRE) == 0;
}

// In a DPC the caller is at DISPATCH_LEVEL, in a threaded DPC it may be below: the documentation lets these find out.
KIRQL KeAcquireSpinLockForDpc(PKSPIN_LOCK lock) {
  Call call{Fn::KeAcquireSpinLockForDpc};
  KIRQL old = raise_to_dispatch(call);
  nt::acquire_spin(call.machine(), lock, LockKind::Spin);
  return old;
}

VOID KeReleaseSpinLockForDpc(PKSPIN_LOCK lock, KIRQL old) {
  Call call{Fn::KeReleaseSpinLockForDpc};
  nt::release_spin(call.machine(), lock, LockKind::Spin);
  lower_back(call, old, "KeReleaseSpinLockForDpc");
}

VOID KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK lock, PKLOCK_QUEUE_HANDLE handle) {
  Call call{Fn::KeAcquireInStackQueuedSpinLock};
  *handle = {nullptr, lock, raise_to_dispatch(call)};
  nt::acquire_spin(call.machine(), lock, LockKind::QueuedSpin);
}

VOID KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE handle) {
  Call call{Fn::KeReleaseInStackQueuedSpinLock};
  nt::release_spin(call.machine(), handle->Lock, LockKind::QueuedSpin);
  lower_back(call, handle->OldIrql, "KeReleaseInStackQueuedSpinLock");
}

VOID KeAcquireInStackQueuedSpinLockAtDpcLevel(PKSPIN_LOCK lock, PKLOCK_QUEUE_HANDLE handle) {
  Call call{Fn::KeAcquireInStackQueuedSpinLockAtDpcLevel};
  *handle = {nullptr, lock, call.thread().irql};
  nt::acquire_spin(call.machine(), lock, LockKind::QueuedSpin);
}

VOID KeReleaseInStackQueuedSpinLockFromDpcLevel(PKLOCK_QUEUE_HANDLE handle) {
  Call call{Fn::KeReleaseInStackQueuedSpinLockFromDpcLevel};
  nt::release_spin(call.machine(), handle->Lock, LockKind::QueuedSpin);
}

VOID KeAcquireInStackQueuedSpinLockForDpc(PKSPIN_LOCK lock, PKLOCK_QUEUE_HANDLE handle) {
  Call call{Fn::KeAcquireInStackQueuedSpinLockForDpc};
  *handle = {nullptr, lock, raise_to_dispatch(call)};
  nt::acquire_spin(call.machine(), lock, LockKind::QueuedSpin);
}

VOID KeReleaseInStackQueuedSpinLockForDpc(PKLOCK_QUEUE_HANDLE handle) {
  Call call{Fn::KeReleaseInStackQueuedSpinLockForDpc};
  nt::release_spin(call.machine(), handle->Lock, LockKind::QueuedSpin);
  lower_back(call, handle->OldIrql, "KeReleaseInStackQueuedSpinLockForDpc");
}

KIRQL KeAcquireInterruptSpinLock(PKINTERRUPT interrupt) {
  Call call{Fn::KeAcquireInterruptSpinLock};
  return call.machine().interrupts().acquire(*interrupt);
}

VOID KeReleaseInterruptSpinLock(PKINTERRUPT interrupt, KIRQL old) {
  Call call{Fn::KeReleaseInterruptSpinLock};
  call.machine().interrupts().release(*interrupt, old);
}

KIRQL ExAcquireSpinLockShared(PEX_SPIN_LOCK lock) {
  Call call{Fn::ExAcquireSpinLockShared};
  KIRQL old = raise_to_dispatch(call);
  nt::acquire_shared_spin(call.machine(), lock);
  return old;
}

KIRQL ExAcquireSpinLockExclusive(PEX_SPIN_LOCK lock) {
  Call call{Fn::ExAcquireSpinLockExclusive};
  KIRQL old = raise_to_dispatch(call);
  nt::acquire_exclusive_spin(call.machine(), lock);
  return old;
}

VOID ExAcquireSpinLockSharedAtDpcLevel(PEX_SPIN_LOCK lock) {
  Call call{Fn::ExAcquireSpinLockSharedAtDpcLevel};
  nt::acquire_shared_spin(call.machine(), lock);
}

VOID ExAcquireSpinLockExclusiveAtDpcLevel(PEX_SPIN_LOCK lock) {
  Call call{Fn::ExAcquireSpinLockExclusiveAtDpcLevel};
  nt::acquire_exclusive_spin(call.machine(), lock);
}

VOID ExReleaseSpinLockShared(PEX_SPIN_LOCK lock, KIRQL old) {
  Call call{Fn::ExReleaseSpinLockShared};
  nt::release_shared_spin(call.machine(), lock);
  lower_back(call, old, "ExReleaseSpinLockShared");
}

VOID ExReleaseSpinLockExclusive(PEX_SPIN_LOCK lock, KIRQL old) {
  Call call{Fn::ExReleaseSpinLockExclusive};
  nt::release_exclusive_spin(call.machine(), lock);
  lower_back(call, old, "ExReleaseSpinLockExclusive");
}

VOID ExReleaseSpinLockSharedFromDpcLevel(PEX_SPIN_LOCK lock) {
  Call call{Fn::ExReleaseSpinLockSharedFromDpcLevel};
  nt::release_shared_spin(call.machine(), lock);
}

VOID ExReleaseSpinLockExclusiveFromDpcLevel(PEX_SPIN_LOCK lock) {
  Call call{Fn::ExReleaseSpinLockExclusiveFromDpcLevel};
  nt::release_exclusive_spin(call.machine(), lock);
}

LOGICAL ExTryConvertSharedSpinLockExclusive(PEX_SPIN_LOCK lock) {
  Call call{Fn::ExTryConvertSharedSpinLockExclusive};
  return nt::try_convert_shared_spin(call.machine(), lock);
}

}  // extern "C"
