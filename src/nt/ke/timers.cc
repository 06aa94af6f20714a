#include "nt/ke/timers.h"

#include <algorithm>

#include "base/sanitizer.h"
#include "nt/ke/dpc_queues.h"
#include "nt/machine/machine.h"

namespace nt {

void Timers::start() {
  Thread& clock =
      machine_.create_thread({.name = "clock", .body = [this] { clock_loop(); }, .housekeeping = true, .last = true});
  clock_ = clock.task;
}

base::TimeNs Timers::deadline_of(LARGE_INTEGER due) {
  base::TimeNs now = machine_.executor().now();
  if (due.QuadPart < 0) {
    auto units = uint64_t{0} - static_cast<uint64_t>(due.QuadPart);
    return units > (base::kForever - 1 - now) / 100 ? base::kForever - 1 : now + units * 100;
  }
  auto absolute = static_cast<uint64_t>(due.QuadPart);
  if (absolute <= kBootSystemTime) return now;
  uint64_t units = absolute - kBootSystemTime;
  return units > (base::kForever - 1) / 100 ? base::kForever - 1 : std::max(now, units * 100);
}

bool Timers::set(KTIMER& timer, base::TimeNs due, uint32_t period_ms, KDPC* dpc) {
  base::happens_before(&timer);
  if (dpc) base::happens_before(dpc);
  bool was_armed, first;
  {
    Dispatcher::Guard guard(dispatcher_.lock());
    was_armed = disarm(timer);
    timer.Header.SignalState = 0;
    timer.DueTime = due;
    timer.Period = static_cast<LONG>(period_ms);
    timer.Dpc = dpc;
    hold_dpc(dpc);
    push(due, timer, machine_.self().scope);
    first = heap_.front().timer == &timer;
  }
  machine_.note(
      trace::TimerSet{.timer = ordinal_of(timer.Header), .due_ns = due, .period_ns = period_ms * uint64_t{1'000'000}});
  if (first) machine_.executor().unpark(*clock_);
  return was_armed;
}

bool Timers::cancel(KTIMER& timer) {
  Dispatcher::Guard guard(dispatcher_.lock());
  return disarm(timer);
}

bool Timers::disarm(KTIMER& timer) {
  auto address = reinterpret_cast<uintptr_t>(&timer);
  if (!dispatcher_.live().find(address, InUseKind::Timer)) return false;
  dispatcher_.live().erase(address, InUseKind::Timer);
  release_dpc(timer.Dpc);
  ++stale_;
  drop_stale_if_many();
  return true;
}

bool Timers::is_stale(const Entry& entry) {
  void** armed = dispatcher_.live().find(reinterpret_cast<uintptr_t>(entry.timer), InUseKind::Timer);
  return !armed || *armed != reinterpret_cast<void*>(entry.order);
}

void Timers::drop_stale_if_many() {
  if (stale_ <= kStaleKept || stale_ <= heap_.size() / 2) return;
  auto kept = heap_.begin();
  for (const Entry& entry : heap_) {
    if (!is_stale(entry)) *kept++ = entry;
  }
  heap_.erase(kept, heap_.end());
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  stale_ = 0;
}

void Timers::hold_dpc(KDPC* dpc) {
  if (!dpc) return;
  void*& timers = dispatcher_.live().ensure(reinterpret_cast<uintptr_t>(dpc), InUseKind::TimerDpc);
  timers = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(timers) + 1);
}

void Timers::release_dpc(KDPC* dpc) {
  auto address = reinterpret_cast<uintptr_t>(dpc);
  void** timers = dpc ? dispatcher_.live().find(address, InUseKind::TimerDpc) : nullptr;
  if (!timers) return;
  *timers = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(*timers) - 1);
  if (!*timers) dispatcher_.live().erase(address, InUseKind::TimerDpc);
}

void Timers::forget_dpc(KDPC& dpc) {
  Dispatcher::Guard guard(dispatcher_.lock());
  for (const Entry& entry : heap_) {
    if (!is_stale(entry) && entry.timer->Dpc == &dpc) entry.timer->Dpc = nullptr;
  }
  dispatcher_.live().erase(reinterpret_cast<uintptr_t>(&dpc), InUseKind::TimerDpc);
}

void Timers::push(base::TimeNs due, KTIMER& timer, Scope* scope) {
  heap_.push_back({due, ++order_, &timer, scope});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  dispatcher_.live().ensure(reinterpret_cast<uintptr_t>(&timer), InUseKind::Timer) = reinterpret_cast<void*>(order_);
}

void Timers::clock_loop() {
  while (!machine_.halting()) {
    base::TimeNs next;
    {
      Dispatcher::Guard guard(dispatcher_.lock());
      next = heap_.empty() ? base::kForever : heap_.front().due;
    }
    if (next > machine_.executor().now()) machine_.executor().park(next, base::Point::Wait);
    machine_.raise_irql(DISPATCH_LEVEL);
    expire_due();
    machine_.lower_irql(PASSIVE_LEVEL);
  }
}

void Timers::expire_due() {
  for (;;) {
    KTIMER* timer;
    KDPC* dpc;
    Scope* scope;
    {
      Dispatcher::Guard guard(dispatcher_.lock());
      base::TimeNs now = machine_.executor().now();
      if (heap_.empty() || heap_.front().due > now) return;
      Entry entry = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      if (is_stale(entry)) {  // cancelled or set anew
        --stale_;
        continue;
      }
      dispatcher_.live().erase(reinterpret_cast<uintptr_t>(entry.timer), InUseKind::Timer);
      timer = entry.timer;
      scope = entry.scope;
      dpc = timer->Dpc;
      if (timer->Period > 0) {
        // A periodic timer keeps its rhythm, but never falls behind by more than one period.
        base::TimeNs period = static_cast<base::TimeNs>(timer->Period) * 1'000'000;
        push(std::max(entry.due + period, now), *timer, scope);
      } else {
        release_dpc(dpc);
      }
    }
    machine_.note(trace::TimerExpire{.timer = ordinal_of(timer->Header)});
    dispatcher_.signal(timer->Header);
    if (dpc) {
      machine_.dpcs().insert(*dpc, nullptr, nullptr, scope);
    }
  }
}

}  // namespace nt
