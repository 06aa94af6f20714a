// Push locks. Pages: wdm/nf-wdm-exinitializepushlock, nf-wdm-exacquirepushlockexclusive,
// nf-wdm-exacquirepushlockshared, …
//
// A word is 0 when free, 1 when held exclusively, else twice the number of shared holds. The waiting threads are in the
// in-use table. All of it is guarded by the dispatcher lock. A release hands the lock over before it wakes a thread.
#include <fmt/format.h>

#include <algorithm>

#include "nt/ke/apc_rules.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/spin_locks.h"
#include "nt/ke/word_waiters.h"
#include "nt/mm/touch.h"

using nt::Dispatcher;
using nt::Fn;
using nt::HeldLock;
using nt::InUseTable;
using nt::KernelEntry;
using nt::LockKind;
using nt::Violation;
using nt::WordWaiter;

namespace {

constexpr EX_PUSH_LOCK kExclusive = 1, kOneShared = 2;

uintptr_t address_of(const EX_PUSH_LOCK& lock) { return reinterpret_cast<uintptr_t>(&lock); }

// The access that this thread has; null without any.
const HeldLock* held(KernelEntry& call, const EX_PUSH_LOCK& lock) {
  const auto& all = call.thread().held;
  auto found =
      std::find_if(all.begin(), all.end(), [&](const HeldLock& each) { return each.address == address_of(lock); });
  return found == all.end() ? nullptr : &*found;
}

void acquire(KernelEntry& call, EX_PUSH_LOCK& lock, bool shared, const char* function) {
  nt::touch_for_writing(lock);
  nt::check_apcs_disabled(call, function);
  const HeldLock* mine = held(call, lock);
  bool shared_again = shared && mine && mine->shared;  // the one recursion that is documented to work
  if (!shared_again) nt::lock_acquiring(call.machine(), address_of(lock), LockKind::PushLock, shared);
  Dispatcher& dispatcher = call.machine().dispatcher();
  call.machine().executor().yield(base::Point::Lock);
  WordWaiter waiter{};
  waiter.shared = shared;
  nt::prepare(dispatcher, waiter);
  bool owned;
  {
    Dispatcher::Guard guard(dispatcher.lock());
    bool nobody_waits = !nt::first_waiter(dispatcher.live(), address_of(lock));
    owned = shared ? lock != kExclusive && nobody_waits : lock == 0;
    if (owned) {
      lock += shared ? kOneShared : kExclusive;
    } else {
      nt::add_waiter(dispatcher.live(), address_of(lock), waiter);
    }
  }
  if (!owned) nt::wait(dispatcher, waiter);
  nt::lock_acquired(call.machine(), address_of(lock), LockKind::PushLock, shared);
}

// Gives a free lock to the first waiter and, if that one is shared, to the shared waiters right behind it. Returns the
// first waiter that goes on waiting. Under the dispatcher lock.
WordWaiter* hand_over(InUseTable& live, EX_PUSH_LOCK& lock, WordWaiter* first) {
  WordWaiter* end = first;
  if (first && !first->shared) {
    lock = kExclusive;
    end = first->next;
  }
  for (; end && first->shared && end->shared; end = end->next) lock += kOneShared;
  if (first) nt::keep_waiters_from(live, address_of(lock), end);
  return end;
}

void release(KernelEntry& call, EX_PUSH_LOCK& lock, bool shared, const char* function) {
  const HeldLock* mine = held(call, lock);
  if (mine && mine->shared != shared) {
    call.machine().report_violation(
        Violation::LockNotHeld,
        fmt::format("{} was given a push lock that this thread holds {}", function, shared ? "exclusively" : "shared"));
    return;
  }
  if (!nt::lock_releasing(call.machine(), address_of(lock), LockKind::PushLock, function)) return;
  Dispatcher& dispatcher = call.machine().dispatcher();
  WordWaiter *first = nullptr, *end = nullptr;
  {
    Dispatcher::Guard guard(dispatcher.lock());
    lock -= shared ? kOneShared : kExclusive;
    if (lock == 0) {
      first = nt::first_waiter(dispatcher.live(), address_of(lock));
      end = hand_over(dispatcher.live(), lock, first);
    }
  }
  nt::wake_waiters(dispatcher, first, end);
  if (first == end) call.machine().executor().yield(base::Point::Unlock);
}

}  // namespace

extern "C" {

VOID ExInitializePushLock(PEX_PUSH_LOCK lock) {
  KernelEntry call{Fn::ExInitializePushLock};
  bool waited_for;
  {
    Dispatcher::Guard guard(call.machine().dispatcher().lock());
    waited_for = nt::first_waiter(call.machine().dispatcher().live(), address_of(*lock)) != nullptr;
  }
  if (waited_for || held(call, *lock)) {
    call.machine().report_violation(Violation::ReinitialisedLive,
                                    "ExInitializePushLock of a push lock that is held or waited for");
    return;  // it stays as it is, so that its release still fits
  }
  *lock = 0;
}

VOID ExAcquirePushLockExclusive(PEX_PUSH_LOCK lock) {
  KernelEntry call{Fn::ExAcquirePushLockExclusive};
  acquire(call, *lock, false, "ExAcquirePushLockExclusive");
}

VOID ExAcquirePushLockShared(PEX_PUSH_LOCK lock) {
  KernelEntry call{Fn::ExAcquirePushLockShared};
  acquire(call, *lock, true, "ExAcquirePushLockShared");
}

VOID ExReleasePushLockExclusive(PEX_PUSH_LOCK lock) {
  KernelEntry call{Fn::ExReleasePushLockExclusive};
  release(call, *lock, false, "ExReleasePushLockExclusive");
}

VOID ExReleasePushLockShared(PEX_PUSH_LOCK lock) {
  KernelEntry call{Fn::ExReleasePushLockShared};
  release(call, *lock, true, "ExReleasePushLockShared");
}

}  // extern "C"
