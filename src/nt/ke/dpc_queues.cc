#include "nt/ke/dpc_queues.h"

#include <algorithm>

#include "base/sanitizer.h"
#include "nt/boundary/driver_call.h"
#include "nt/machine/machine.h"

namespace nt {
namespace {
// KDPC.Number: 0 when the DPC names no processor, else the processor plus one.
uint32_t target_of(const KDPC& dpc, uint32_t current) { return dpc.Number ? dpc.Number - 1u : current; }
}  // namespace

DpcQueues::DpcQueues(Machine& machine, Dispatcher& dispatcher)
    : machine_(machine), dispatcher_(dispatcher), queues_(machine.options().processors) {}

void DpcQueues::start() {
  for (uint32_t i = 0; i < queues_.size(); ++i) {
    Thread& idle = machine_.create_thread({.name = "idle " + std::to_string(i),
                                           .body = [this] { idle_loop(); },
                                           .processor = i,
                                           .housekeeping = true,
                                           .last = true});
    queues_[i].idle = idle.task.load();
  }
}

void DpcQueues::idle_loop() {
  for (bool last = false; !last;) {
    last = machine_.halting();  // what was queued before that is still run
    if (!last) machine_.executor().park(base::kForever, base::Point::Dpc);
    machine_.deliver();
    Queue& queue = queues_[machine_.executor().processor()];
    while (run_next(queue.threaded)) {
    }
  }
}

void DpcQueues::poke(uint32_t processor) {
  if (base::Task* idle = queues_[processor].idle) machine_.executor().unpark(*idle);
}

bool DpcQueues::insert(KDPC& dpc, void* argument1, void* argument2, Scope* scope) {
  base::happens_before(&dpc);
  uint32_t current = machine_.executor().processor();
  uint32_t target = target_of(dpc, current);
  {
    Dispatcher::Guard guard(dispatcher_.lock());
    InUseTable& live = dispatcher_.live();
    auto address = reinterpret_cast<uintptr_t>(&dpc);
    if (live.find(address, InUseKind::Dpc)) return false;
    live.ensure(address, InUseKind::Dpc) = reinterpret_cast<void*>(uintptr_t{target});
    dpc.SystemArgument1 = argument1;
    dpc.SystemArgument2 = argument2;
    Queue& queue = queues_[target];
    Queued queued{&dpc, scope, ++last_ticket_};
    if (dpc.Importance == HighImportance) {
      queue.waiting.push_front(queued);
    } else {
      queue.waiting.push_back(queued);
    }
    ++queue.length;
    unfinished_.push_back({queued.ticket, &dpc});
  }
  machine_.note(trace::DpcQueue{.dpc = ordinal_of(dpc), .target = static_cast<uint8_t>(target)});
  // Windows does not run a DPC of low importance at once, nor most that name another processor. A DPC for the current
  // processor runs when this thread lowers its IRQL or, below DISPATCH_LEVEL, at its next scheduling point; with the
  // LiveExecutor there are no scheduling points.
  bool runs_here = target == current && (!machine_.live() || machine_.self().irql >= DISPATCH_LEVEL);
  if (!runs_here || dpc.Importance == LowImportance) poke(target);
  return true;
}

bool DpcQueues::remove(KDPC& dpc) {
  WakeList flushing;
  {
    Dispatcher::Guard guard(dispatcher_.lock());
    auto address = reinterpret_cast<uintptr_t>(&dpc);
    void** target = dispatcher_.live().find(address, InUseKind::Dpc);
    if (!target) return false;
    Queue& queue = queues_[reinterpret_cast<uintptr_t>(*target)];
    auto is_it = [&dpc](const Queued& queued) { return queued.dpc == &dpc; };
    auto at = std::find_if(queue.waiting.begin(), queue.waiting.end(), is_it);
    if (at != queue.waiting.end()) {
      finished(at->ticket, flushing);
      queue.waiting.erase(at);
      --queue.length;
    } else {
      at = std::find_if(queue.threaded.begin(), queue.threaded.end(), is_it);
      finished(at->ticket, flushing);
      queue.threaded.erase(at);
    }
    dispatcher_.live().erase(address, InUseKind::Dpc);
  }
  flushing.wake(machine_.executor());
  return true;
}

void DpcQueues::drain() {
  Queue& queue = queues_[machine_.executor().processor()];
  while (queue.length.load(std::memory_order_relaxed) != 0) {
    defer_threaded(queue);
    run_next(queue.waiting);
  }
}

// A threaded DPC runs at PASSIVE_LEVEL or, as a driver must expect, at DISPATCH_LEVEL like any other.
void DpcQueues::defer_threaded(Queue& queue) {
  auto threaded_is_next = [&queue] {
    return !queue.waiting.empty() && queue.waiting.front().dpc->Type == static_cast<UCHAR>(DpcType::Threaded);
  };
  bool deferred = false;
  for (;;) {
    {
      Dispatcher::Guard guard(dispatcher_.lock());
      if (!threaded_is_next()) break;
    }
    if (machine_.executor().choose(4) == 0) break;
    Dispatcher::Guard guard(dispatcher_.lock());
    if (!threaded_is_next()) break;
    queue.threaded.push_back(queue.waiting.front());
    queue.waiting.pop_front();
    --queue.length;
    deferred = true;
  }
  if (deferred) poke(machine_.executor().processor());
}

bool DpcQueues::run_next(std::deque<Queued>& from) {
  Queue& queue = queues_[machine_.executor().processor()];
  Queued next;
  KDPC dpc;
  {
    Dispatcher::Guard guard(dispatcher_.lock());
    if (from.empty()) return false;
    next = from.front();
    from.pop_front();
    if (&from == &queue.waiting) --queue.length;
    // From here on the driver may queue it again, or free it.
    dispatcher_.live().erase(reinterpret_cast<uintptr_t>(next.dpc), InUseKind::Dpc);
    dpc = *next.dpc;
  }
  base::happens_after(next.dpc);
  machine_.note(trace::DpcStart{.dpc = ordinal_of(dpc)});
  call_driver<DriverCall::Mode::Interrupting>(machine_, "DPC routine", next.scope, dpc.DeferredRoutine, next.dpc,
                                              dpc.DeferredContext, dpc.SystemArgument1, dpc.SystemArgument2);
  machine_.note(trace::DpcEnd{.dpc = ordinal_of(dpc)});
  base::happens_before(this);
  WakeList flushing;
  {
    Dispatcher::Guard guard(dispatcher_.lock());
    finished(next.ticket, flushing);
  }
  flushing.wake(machine_.executor());
  return true;
}

void DpcQueues::finished(uint64_t ticket, WakeList& flushing) {
  unfinished_.erase(std::ranges::lower_bound(unfinished_, ticket, {}, &Unfinished::ticket));
  for (base::Task* task : flushing_) flushing.add(*task);
  flushing_.clear();
}

template <typename Meant>
void DpcQueues::wait_for(Meant meant) {
  for (uint32_t i = 0; i < queues_.size(); ++i) poke(i);
  uint64_t goal = 0;
  {
    Dispatcher::Guard guard(dispatcher_.lock());
    goal = last_ticket_;
  }
  for (;;) {
    {
      Dispatcher::Guard guard(dispatcher_.lock());
      auto waits = [&](const Unfinished& one) { return one.ticket <= goal && meant(one); };
      if (std::ranges::none_of(unfinished_, waits)) break;
      flushing_.push_back(machine_.self().task);
    }
    WaitingFor waits("queued DPCs to end");
    machine_.executor().park(base::kForever, base::Point::Dpc);
  }
  base::happens_after(this);
}

void DpcQueues::flush() {
  wait_for([](const Unfinished&) { return true; });
}

void DpcQueues::flush(const KDPC& dpc) {
  wait_for([&dpc](const Unfinished& one) { return one.dpc == &dpc; });
}

}  // namespace nt
