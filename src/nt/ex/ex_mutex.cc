// Fast and guarded mutexes. Pages: wdm/nf-wdm-exacquirefastmutex, nf-wdm-exacquirefastmutexunsafe,
// nf-wdm-keacquireguardedmutex, kernel/fast-mutexes-and-guarded-mutexes.
//
// Count is 1 when free. Each thread that wants the mutex decrements it; a thread that finds it taken waits on Event,
// which a release hands to one waiter. OldIrql is the IRQL that the release restores, and says by which form the mutex
// was acquired.
#include <fmt/format.h>

#include <optional>

#include "nt/boundary/kernel_entry.h"
#include "nt/ke/apc_rules.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/spin_locks.h"
#include "nt/mm/resident.h"

using nt::Fn;
using nt::KernelEntry;
using nt::LockKind;
using nt::ObjectType;
using nt::Violation;

namespace {

constexpr ULONG kUnsafe = 0x100;  // no IRQL

template <typename Mutex>
uintptr_t address_of(const Mutex& mutex) {
  return reinterpret_cast<uintptr_t>(&mutex);
}

template <typename Mutex>
void initialise(KernelEntry& call, Mutex& mutex, const char* function) {
  if (nt::holds_lock(call.thread(), address_of(mutex))) {
    call.machine().report_violation(Violation::ReinitialisedLive, fmt::format("{} of a mutex that is held", function));
    return;  // it stays held, so that its release still fits
  }
  call.machine().dispatcher().initialise(&mutex.Event, sizeof(mutex.Event), ObjectType::SynchronizationEvent, 0);
  mutex.Count = 1;
  mutex.Owner = nullptr;
  mutex.Contention = 0;
  mutex.OldIrql = kUnsafe;
}

template <typename Mutex>
bool known(KernelEntry& call, const Mutex& mutex, const char* function) {
  return call.machine().dispatcher().known(mutex.Event.Header, {ObjectType::SynchronizationEvent}, function);
}

template <typename Mutex>
void own(KernelEntry& call, Mutex& mutex, LockKind kind, ULONG old_irql) {
  mutex.Owner = call.thread().body;
  mutex.OldIrql = old_irql;
  nt::lock_acquired(call.machine(), address_of(mutex), kind);
}

template <typename Mutex>
void acquire(KernelEntry& call, Mutex& mutex, LockKind kind, ULONG old_irql) {
  nt::lock_acquiring(call.machine(), address_of(mutex), kind);
  call.machine().executor().yield(base::Point::Lock);
  if (__atomic_sub_fetch(&mutex.Count, 1, __ATOMIC_ACQUIRE) != 0) {
    __atomic_add_fetch(&mutex.Contention, 1, __ATOMIC_RELAXED);
    void* event = &mutex.Event;
    call.machine().dispatcher().wait({&event, 1}, WaitAny, base::kForever);
  }
  own(call, mutex, kind, old_irql);
}

template <typename Mutex>
bool try_acquire(KernelEntry& call, Mutex& mutex, LockKind kind, ULONG old_irql) {
  call.machine().executor().yield(base::Point::Lock);
  LONG free = 1;
  if (!__atomic_compare_exchange_n(&mutex.Count, &free, 0, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return false;
  own(call, mutex, kind, old_irql);
  return true;
}

// The IRQL saved by the acquire, or nothing if the caller does not own the mutex.
template <typename Mutex>
std::optional<ULONG> release(KernelEntry& call, Mutex& mutex, LockKind kind, const char* function) {
  if (!known(call, mutex, function)) return std::nullopt;
  if (!nt::lock_releasing(call.machine(), address_of(mutex), kind, function)) return std::nullopt;
  ULONG old_irql = mutex.OldIrql;
  mutex.Owner = nullptr;
  if (__atomic_add_fetch(&mutex.Count, 1, __ATOMIC_RELEASE) <= 0) {
    call.machine().dispatcher().set_event(mutex.Event);
  } else {
    call.machine().executor().yield(base::Point::Unlock);
  }
  return old_irql;
}

void wrong_pair(KernelEntry& call, const char* function, const char* acquired) {
  call.machine().report_violation(Violation::LockIrqlMismatch,
                                  fmt::format("{} of a mutex that was acquired {}", function, acquired));
}

// The unsafe forms do not disable APCs: the caller must have done it.
void check_unsafe(KernelEntry& call, const char* function, bool in_region, const char* region) {
  if (call.thread().irql >= APC_LEVEL || in_region) return;
  call.machine().report_violation(Violation::IrqlTooLow,
                                  fmt::format("{} was called at PASSIVE_LEVEL outside of a {}", function, region));
}

bool in_any_region(const nt::Thread& thread) { return nt::in_critical_region(thread) || thread.guarded_regions > 0; }

void leave_guarded_region(KernelEntry& call) {
  if (call.thread().guarded_regions > 0) {
    --call.thread().guarded_regions;
    return;
  }
  call.machine().report_violation(Violation::RegionUnbalanced,
                                  "KeReleaseGuardedMutex after its guarded region was left");
}

}  // namespace

extern "C" {

VOID ExInitializeFastMutex(PFAST_MUTEX mutex) {
  KernelEntry call{Fn::ExInitializeFastMutex};
  nt::check_resident(call.machine(), mutex, "a fast mutex");
  initialise(call, *mutex, "ExInitializeFastMutex");
}

VOID ExAcquireFastMutex(PFAST_MUTEX mutex) {
  KernelEntry call{Fn::ExAcquireFastMutex};
  if (!known(call, *mutex, "ExAcquireFastMutex")) return;
  KIRQL old = call.thread().irql;
  if (old < APC_LEVEL) call.machine().raise_irql(APC_LEVEL);
  acquire(call, *mutex, LockKind::FastMutex, old);
}

BOOLEAN ExTryToAcquireFastMutex(PFAST_MUTEX mutex) {
  KernelEntry call{Fn::ExTryToAcquireFastMutex};
  if (!known(call, *mutex, "ExTryToAcquireFastMutex")) return FALSE;
  KIRQL old = call.thread().irql;
  if (!try_acquire(call, *mutex, LockKind::FastMutex, old)) return FALSE;
  if (old < APC_LEVEL) call.machine().raise_irql(APC_LEVEL);
  return TRUE;
}

VOID ExReleaseFastMutex(PFAST_MUTEX mutex) {
  KernelEntry call{Fn::ExReleaseFastMutex};
  std::optional<ULONG> old = release(call, *mutex, LockKind::FastMutex, "ExReleaseFastMutex");
  if (!old) return;
  if (*old == kUnsafe) {
    wrong_pair(call, "ExReleaseFastMutex", "by ExAcquireFastMutexUnsafe");
  } else if (*old < call.thread().irql) {
    call.machine().lower_irql(static_cast<KIRQL>(*old));
  }
}

VOID ExAcquireFastMutexUnsafe(PFAST_MUTEX mutex) {
  KernelEntry call{Fn::ExAcquireFastMutexUnsafe};
  check_unsafe(call, "ExAcquireFastMutexUnsafe", in_any_region(call.thread()), "critical region");
  if (known(call, *mutex, "ExAcquireFastMutexUnsafe")) acquire(call, *mutex, LockKind::FastMutex, kUnsafe);
}

VOID ExReleaseFastMutexUnsafe(PFAST_MUTEX mutex) {
  KernelEntry call{Fn::ExReleaseFastMutexUnsafe};
  std::optional<ULONG> old = release(call, *mutex, LockKind::FastMutex, "ExReleaseFastMutexUnsafe");
  if (old && *old != kUnsafe) {
    wrong_pair(call, "ExReleaseFastMutexUnsafe", "by ExAcquireFastMutex or ExTryToAcquireFastMutex");
  }
}

VOID KeInitializeGuardedMutex(PKGUARDED_MUTEX mutex) {
  KernelEntry call{Fn::KeInitializeGuardedMutex};
  initialise(call, *mutex, "KeInitializeGuardedMutex");
}

VOID KeAcquireGuardedMutex(PKGUARDED_MUTEX mutex) {
  KernelEntry call{Fn::KeAcquireGuardedMutex};
  if (!known(call, *mutex, "KeAcquireGuardedMutex")) return;
  ++call.thread().guarded_regions;
  acquire(call, *mutex, LockKind::GuardedMutex, call.thread().irql);
}

BOOLEAN KeTryToAcquireGuardedMutex(PKGUARDED_MUTEX mutex) {
  KernelEntry call{Fn::KeTryToAcquireGuardedMutex};
  if (!known(call, *mutex, "KeTryToAcquireGuardedMutex")) return FALSE;
  if (!try_acquire(call, *mutex, LockKind::GuardedMutex, call.thread().irql)) return FALSE;
  ++call.thread().guarded_regions;
  return TRUE;
}

VOID KeReleaseGuardedMutex(PKGUARDED_MUTEX mutex) {
  KernelEntry call{Fn::KeReleaseGuardedMutex};
  std::optional<ULONG> old = release(call, *mutex, LockKind::GuardedMutex, "KeReleaseGuardedMutex");
  if (!old) return;
  if (*old == kUnsafe) {
    wrong_pair(call, "KeReleaseGuardedMutex", "by KeAcquireGuardedMutexUnsafe");
  } else {
    leave_guarded_region(call);
  }
}

VOID KeAcquireGuardedMutexUnsafe(PKGUARDED_MUTEX mutex) {
  KernelEntry call{Fn::KeAcquireGuardedMutexUnsafe};
  check_unsafe(call, "KeAcquireGuardedMutexUnsafe", call.thread().guarded_regions > 0, "guarded region");
  if (known(call, *mutex, "KeAcquireGuardedMutexUnsafe")) acquire(call, *mutex, LockKind::GuardedMutex, kUnsafe);
}

// One sentence of the page pairs it with KeAcquireGuardedMutex, the rest with the Unsafe form: both are taken, and the
// region that the first entered stays entered.
VOID KeReleaseGuardedMutexUnsafe(PKGUARDED_MUTEX mutex) {
  KernelEntry call{Fn::KeReleaseGuardedMutexUnsafe};
  release(call, *mutex, LockKind::GuardedMutex, "KeReleaseGuardedMutexUnsafe");
}

}  // extern "C"
