#pragma once

#include <cstdint>
#include <vector>

#include "abi/km/wdm.h"
#include "base/executor.h"
#include "nt/ke/dispatcher.h"

namespace nt {

// Armed timers in order of their due time, and the clock: the task that sleeps until the first of them is due. An armed
// timer is in the in-use table. Uses the dispatcher lock.
class Timers {
 public:
  Timers(Machine& machine, Dispatcher& dispatcher) : machine_(machine), dispatcher_(dispatcher) {}

  void start();  // starts the clock; called once, when the machine runs

  // Arms the timer; true when it was armed before. `period_ms` 0: once.
  bool set(KTIMER& timer, base::TimeNs due, uint32_t period_ms, KDPC* dpc);
  // True when it was armed.
  bool cancel(KTIMER& timer);
  // The DPC is gone: the armed timers that name it expire without one.
  void forget_dpc(KDPC& dpc);
  // Entries that are kept, those of timers that were cancelled or set anew among them.
  size_t entry_count() {
    Dispatcher::Guard guard(dispatcher_.lock());
    return heap_.size();
  }

  // An absolute time of the machine for a Windows due time: negative is relative, in units of 100 ns.
  base::TimeNs deadline_of(LARGE_INTEGER due);
  // Windows' time of day for a time of the machine, in 100 ns since 1601.
  static uint64_t system_time(base::TimeNs now) { return kBootSystemTime + now / 100; }

  static constexpr size_t kStaleKept = 64;
  static constexpr uint64_t kBootSystemTime = 134'117'856'000'000'000;  // 2026-01-01 00:00 UTC

 private:
  struct Entry {
    base::TimeNs due;
    uint64_t order;
    KTIMER* timer;
    Scope* scope;  // the scope in which it was armed; its DPC runs in it too
    bool operator>(const Entry& other) const { return due != other.due ? due > other.due : order > other.order; }
  };

  void clock_loop();
  void expire_due();
  bool disarm(KTIMER& timer) REQUIRES(dispatcher_.lock());
  bool is_stale(const Entry& entry) REQUIRES(dispatcher_.lock());
  void drop_stale_if_many() REQUIRES(dispatcher_.lock());
  // The in-use table counts, for each DPC, the armed timers that name it.
  void hold_dpc(KDPC* dpc) REQUIRES(dispatcher_.lock());
  void release_dpc(KDPC* dpc) REQUIRES(dispatcher_.lock());
  void push(base::TimeNs due, KTIMER& timer, Scope* scope) REQUIRES(dispatcher_.lock());

  Machine& machine_;
  Dispatcher& dispatcher_;
  base::Task* clock_ = nullptr;
  // Earliest first. An entry whose order the in-use table no longer holds is stale; it is dropped when its time comes,
  // or with all others once they are more than kStaleKept and more than half: the cost of that is spread over as many
  // cancellations.
  std::vector<Entry> heap_ GUARDED_BY(dispatcher_.lock());
  size_t stale_ GUARDED_BY(dispatcher_.lock()) = 0;  // of heap_
  uint64_t order_ GUARDED_BY(dispatcher_.lock()) = 0;
};

}  // namespace nt
