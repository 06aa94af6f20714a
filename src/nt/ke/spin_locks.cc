#include "nt/ke/spin_locks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sanitizer.h"
#include "nt/ke/dispatcher.h"
#include "nt/machine/machine.h"

namespace nt {
namespace {

constexpr ULONG_PTR kHeld = 1, kSpinning = 2, kUsedPlain = 4, kUsedQueued = 8;
constexpr ULONG_PTR kUses = kUsedPlain | kUsedQueued;  // these stay when the lock is released
constexpr unsigned kOrdinalShift = 4;
constexpr LONG kExclusive = INT32_MIN, kReadersSpin = 0x40000000;

ULONG_PTR held_by(const Thread& thread) { return (ULONG_PTR{thread.ordinal} << kOrdinalShift) | kHeld; }

// A processor that spins. On the spinning thread's stack while it is parked; listed in the in-use table.
struct Spinner {
  base::Task* task;
  Spinner* next;
  bool released;  // taken off the list
};

// Parks until the lock is released, unless `taken` says that it is free. `taken` is called under the dispatcher lock
// and marks the word.
template <typename Taken>
void spin_until_released(Machine& machine, uintptr_t address, Taken&& taken) {
  Spinner spinner{machine.self().task, nullptr, false};
  {
    Dispatcher::Guard guard(machine.dispatcher().lock());
    if (!taken()) return;
    void*& head = machine.dispatcher().live().ensure(address, InUseKind::SpinWaiters);
    spinner.next = static_cast<Spinner*>(head);
    head = &spinner;
  }
  for (bool spinning = true; spinning;) {
    machine.executor().park(base::kForever, base::Point::Lock);  // may end early: a permit can be left from before
    Dispatcher::Guard guard(machine.dispatcher().lock());
    spinning = !spinner.released;
  }
}

// Every spinning thread tries again; the schedule decides which one is first.
void wake_spinners(Machine& machine, uintptr_t address) {
  WakeList woken;
  {
    Dispatcher::Guard guard(machine.dispatcher().lock());
    void** head = machine.dispatcher().live().find(address, InUseKind::SpinWaiters);
    if (!head) return;
    for (auto* spinner = static_cast<Spinner*>(*head); spinner; spinner = spinner->next) {
      woken.add(*spinner->task);
      spinner->released = true;
    }
    machine.dispatcher().live().erase(address, InUseKind::SpinWaiters);
  }
  woken.wake(machine.executor());
}

template <typename Word>
bool cas(Word* word, Word& expected, Word desired) {
  return __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

bool is_free(ULONG_PTR word) { return (word & ~kUses) == 0; }

bool take_word(ULONG_PTR* word, ULONG_PTR mine) {
  ULONG_PTR now = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (is_free(now)) {
    if (cas(word, now, mine | now)) return true;
  }
  return false;
}

// Once for each lock. The holder calls it.
void note_use(Machine& machine, ULONG_PTR* word, LockKind kind) {
  ULONG_PTR use = kind == LockKind::Spin ? kUsedPlain : kind == LockKind::QueuedSpin ? kUsedQueued : 0;
  ULONG_PTR before = __atomic_fetch_or(word, use, __ATOMIC_RELAXED) & kUses;
  if (__builtin_expect(before == 0 || (before & use) == use, 1)) return;
  machine.report_violation(
      Violation::SpinLockMixed,
      fmt::format("a spin lock is acquired as {} one and was acquired as {} one before",
                  use == kUsedQueued ? "a queued" : "an ordinary", use == kUsedQueued ? "an ordinary" : "a queued"));
}

}  // namespace

void lock_acquiring(Machine& machine, uintptr_t address, LockKind kind, bool shared) {
  Thread& thread = machine.self();
  if (machine.observer().wants_locks()) {
    base::Stack stack = machine.here();
    machine.observer().lock_acquiring({address, kind, shared, thread.ordinal, &stack});
  }
  if (__builtin_expect(holds_lock(thread, address), 0)) {
    machine.report_violation(Violation::LockRecursion,
                             fmt::format("a {} is acquired by the thread that holds it", to_string(kind)));
  }
  if (kind != LockKind::Mutex) thread.wanted = {address, kind, shared};  // a wait for a mutex may end without it
}

void lock_acquired(Machine& machine, uintptr_t address, LockKind kind, bool shared) {
  base::happens_after(reinterpret_cast<void*>(address));
  Thread& thread = machine.self();
  thread.wanted.address = 0;
  thread.held.push_back({address, kind, shared});
}

bool lock_releasing(Machine& machine, uintptr_t address, LockKind kind, const char* function) {
  Thread& thread = machine.self();
  auto& held = thread.held;
  for (size_t i = held.size(); i-- > 0;) {
    if (held[i].address != address) continue;
    if (machine.observer().wants_locks()) {
      machine.observer().lock_released({address, kind, held[i].shared, thread.ordinal, nullptr});
    }
    held.erase(held.begin() + static_cast<ptrdiff_t>(i));
    base::happens_before(reinterpret_cast<void*>(address));
    return true;
  }
  machine.report_violation(Violation::LockNotHeld,
                           fmt::format("{} was given a {} that this thread does not hold", function, to_string(kind)));
  return false;
}

bool holds_lock(const Thread& thread, uintptr_t address) {
  for (const HeldLock& lock : thread.held) {
    if (lock.address == address) return true;
  }
  return false;
}

bool holds_spin_lock(const Thread& thread) {
  return std::any_of(thread.held.begin(), thread.held.end(), [](const HeldLock& lock) {
    return lock.kind == LockKind::Spin || lock.kind == LockKind::QueuedSpin || lock.kind == LockKind::SharedSpin ||
           lock.kind == LockKind::Interrupt;
  });
}

void acquire_spin(Machine& machine, ULONG_PTR* word, LockKind kind) {
  auto address = reinterpret_cast<uintptr_t>(word);
  lock_acquiring(machine, address, kind);
  machine.executor().yield(base::Point::Lock);
  ULONG_PTR mine = held_by(machine.self());
  while (!take_word(word, mine)) {
    spin_until_released(machine, address, [word] {
      ULONG_PTR now = __atomic_load_n(word, __ATOMIC_RELAXED);
      while (!is_free(now) && !cas(word, now, now | kSpinning)) {
      }
      return !is_free(now);
    });
  }
  lock_acquired(machine, address, kind);
  note_use(machine, word, kind);
}

bool try_acquire_spin(Machine& machine, ULONG_PTR* word, LockKind kind) {
  machine.executor().yield(base::Point::Lock);
  if (!take_word(word, held_by(machine.self()))) return false;
  lock_acquired(machine, reinterpret_cast<uintptr_t>(word), kind);
  note_use(machine, word, kind);
  return true;
}

bool is_spin_free(const ULONG_PTR* word) { return is_free(__atomic_load_n(word, __ATOMIC_ACQUIRE)); }

void release_spin(Machine& machine, ULONG_PTR* word, LockKind kind) {
  auto address = reinterpret_cast<uintptr_t>(word);
  if (!lock_releasing(machine, address, kind, "a release of a spin lock")) return;
  if (__atomic_fetch_and(word, kUses, __ATOMIC_RELEASE) & kSpinning) wake_spinners(machine, address);
  machine.executor().yield(base::Point::Unlock);
}

void acquire_shared_spin(Machine& machine, LONG* word) {
  auto address = reinterpret_cast<uintptr_t>(word);
  lock_acquiring(machine, address, LockKind::SharedSpin, true);
  machine.executor().yield(base::Point::Lock);
  for (;;) {
    LONG now = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!(now & kExclusive)) {
      if (cas(word, now, now + 1)) {
        lock_acquired(machine, address, LockKind::SharedSpin, true);
        return;
      }
    }
    spin_until_released(machine, address, [word] {
      LONG seen = __atomic_load_n(word, __ATOMIC_RELAXED);
      while ((seen & kExclusive) && !cas(word, seen, seen | kReadersSpin)) {
      }
      return (seen & kExclusive) != 0;
    });
  }
}

void release_shared_spin(Machine& machine, LONG* word) {
  auto address = reinterpret_cast<uintptr_t>(word);
  if (!lock_releasing(machine, address, LockKind::SharedSpin, "ExReleaseSpinLockShared")) return;
  LONG now = __atomic_load_n(word, __ATOMIC_RELAXED), after;
  do {
    after = now - 1;
    if ((after & ~kReadersSpin) == 0) after = 0;
  } while (!cas(word, now, after));
  if (after == 0 && (now & kReadersSpin)) wake_spinners(machine, address);
  machine.executor().yield(base::Point::Unlock);
}

void acquire_exclusive_spin(Machine& machine, LONG* word) {
  auto address = reinterpret_cast<uintptr_t>(word);
  lock_acquiring(machine, address, LockKind::SharedSpin);
  machine.executor().yield(base::Point::Lock);
  LONG free = 0;
  while (!cas(word, free, kExclusive)) {
    spin_until_released(machine, address, [word] {
      LONG seen = __atomic_load_n(word, __ATOMIC_RELAXED);
      while (seen != 0 && !cas(word, seen, seen | kReadersSpin)) {
      }
      return seen != 0;
    });
    free = 0;
  }
  lock_acquired(machine, address, LockKind::SharedSpin);
}

void release_exclusive_spin(Machine& machine, LONG* word) {
  auto address = reinterpret_cast<uintptr_t>(word);
  if (!lock_releasing(machine, address, LockKind::SharedSpin, "ExReleaseSpinLockExclusive")) return;
  if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) & kReadersSpin) wake_spinners(machine, address);
  machine.executor().yield(base::Point::Unlock);
}

bool try_convert_shared_spin(Machine& machine, LONG* word) {
  LONG seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  do {
    if ((seen & ~kReadersSpin) != 1) return false;
  } while (!cas(word, seen, static_cast<LONG>(kExclusive | (seen & kReadersSpin))));
  for (HeldLock& lock : machine.self().held) {
    if (lock.address == reinterpret_cast<uintptr_t>(word)) lock.shared = false;
  }
  return true;
}

}  // namespace nt
