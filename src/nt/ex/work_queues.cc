#include "nt/ex/work_queues.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sanitizer.h"
#include "nt/io/device_objects.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace nt {

void WorkQueues::queue(Item item, WORK_QUEUE_TYPE type) {
  size_t index = index_of(type);
  const void* held = item.holds;
  base::happens_before(const_cast<void*>(item.address));
  machine_.devices().hold(held);
  bool refused, crowded = false;
  base::Task* wake = nullptr;
  uint32_t new_worker = 0;
  {
    base::Guard guard(lock_);
    Queue& queue = queues_[index];
    refused = queued_locked(item.address);
    if (!refused) {
      queue.items.push_back(std::move(item));
      if (!queue.idle.empty()) {
        wake = queue.idle.front();
        queue.idle.erase(queue.idle.begin());
      } else if (queue.workers < kWorkers) {
        ++queue.workers;
        new_worker = ++worker_count_;
      } else {
        crowded = queue.crowded();
      }
    }
  }
  if (refused) {
    machine_.devices().release(held);
    machine_.report_violation(Violation::ReinitialisedLive, "a work item is queued that is queued already");
    return;
  }
  if (wake) machine_.executor().unpark(*wake);
  if (new_worker) start_worker(index, new_worker);
  if (crowded) start_or_wake_balance();
}

void WorkQueues::start_or_wake_balance() {
  Balance was;
  base::Task* task;
  {
    base::Guard guard(lock_);
    was = balance_;
    task = balance_task_;
    balance_ = Balance::Looking;
  }
  if (was == Balance::NotMade) {
    machine_.create_thread({.name = "worker balance",
                            .body = [this] { balance(); },
                            .scope = &machine_.root_scope(),
                            .housekeeping = true,
                            .last = true});
  } else if (was == Balance::Asleep) {
    machine_.executor().unpark(*task);
  }
}

void WorkQueues::balance() {
  base::Executor& executor = machine_.executor();
  bool waited = false;  // all of kPatience, since the last look
  while (!machine_.halting()) {
    bool crowded = false;
    std::vector<std::pair<size_t, uint32_t>> wanted;
    {
      base::Guard guard(lock_);
      balance_task_ = machine_.self().task;
      for (size_t index = 0; index < queues_.size(); ++index) {
        Queue& queue = queues_[index];
        if (queue.crowded() && waited && queue.taken == queue.taken_then) {
          ++queue.workers;
          wanted.emplace_back(index, ++worker_count_);
        }
        queue.taken_then = queue.taken;
        crowded |= queue.crowded();
      }
      balance_ = crowded ? Balance::Looking : Balance::Asleep;
    }
    for (auto [index, ordinal] : wanted) start_worker(index, ordinal);
    base::TimeNs until = crowded ? executor.now() + kPatience : base::kForever;
    waited = executor.park(until, base::Point::Wait) == base::Wake::Deadline;
  }
}

void WorkQueues::start_worker(size_t index, uint32_t ordinal) {
  machine_.create_thread({.name = fmt::format("worker {}", ordinal),
                          .body = [this, index] { work(index); },
                          .scope = &machine_.root_scope()});
}

void WorkQueues::work(size_t index) {
  for (;;) {
    Item* item = nullptr;
    {
      base::Guard guard(lock_);
      Queue& queue = queues_[index];
      std::erase(queue.idle, machine_.self().task);  // it may have been woken by something else
      if (!queue.items.empty()) {
        running_.splice(running_.end(), queue.items, queue.items.begin());
        item = &running_.back();
        ++queue.taken;
      } else if (machine_.ending()) {
        --queue.workers;  // an item that comes now gets a new one
        return;
      } else {
        queue.idle.push_back(machine_.self().task);
      }
    }
    if (item) {
      run(*item);
    } else {
      machine_.executor().park(base::kForever, base::Point::Wait);
    }
  }
}

void WorkQueues::run(const Item& item) {
  base::happens_after(const_cast<void*>(item.address));
  auto block = machine_.pool().find(reinterpret_cast<uintptr_t>(item.address));
  if (block && block->freed) {
    machine_.report_violation(Violation::WorkItemMisuse,
                              fmt::format("{} was freed while a work item in it was queued", Pool::describe(*block)),
                              {{"freed", machine_.stacks().get(block->freed_at)}});
  } else {
    item.call();
  }
  machine_.devices().release(item.holds);
  std::vector<base::Task*> waiting;
  {
    base::Guard guard(lock_);
    running_.remove_if([&](const Item& other) { return &other == &item; });
    waiting.swap(waiting_);
  }
  for (base::Task* task : waiting) machine_.executor().unpark(*task);
}

bool WorkQueues::queued(const void* address) {
  base::Guard guard(lock_);
  return queued_locked(address);
}

bool WorkQueues::queued_locked(const void* address) {
  for (const Queue& queue : queues_) {
    for (const Item& item : queue.items) {
      if (item.address == address) return true;
    }
  }
  return false;
}

void WorkQueues::forget(const void* address) {
  const void* held = nullptr;
  {
    base::Guard guard(lock_);
    for (Queue& queue : queues_) {
      auto at = std::find_if(queue.items.begin(), queue.items.end(),
                             [&](const Item& item) { return item.address == address; });
      if (at == queue.items.end()) continue;
      held = at->holds;
      queue.items.erase(at);
    }
  }
  machine_.devices().release(held);
}

void WorkQueues::image_gone(uintptr_t lo, uintptr_t hi) {
  for (;;) {
    const void* unprotected = nullptr;
    bool wait;
    {
      base::Guard guard(lock_);
      const Item* item = find_queued(lo, hi);
      if (item && !item->holds) unprotected = item->address;
      wait = !unprotected && (item || find_running(lo, hi));
      if (wait) waiting_.push_back(machine_.self().task);
    }
    if (unprotected) {
      machine_.report_violation(Violation::UnloadedLive,
                                "the driver was unloaded while a work item of ExQueueWorkItem was queued");
      forget(unprotected);
    } else if (wait) {
      WaitingFor waits("work items of a driver to end");
      machine_.executor().park(base::kForever, base::Point::Wait);
    } else {
      return;
    }
  }
}

// Items that do not keep the driver loaded are checked first: a wait for the others might never end.
const WorkQueues::Item* WorkQueues::find_queued(uintptr_t lo, uintptr_t hi) {
  const Item* found = nullptr;
  for (const Queue& queue : queues_) {
    for (const Item& item : queue.items) {
      if (item.routine < lo || item.routine >= hi) continue;
      if (!item.holds) return &item;
      found = &item;
    }
  }
  return found;
}

bool WorkQueues::find_running(uintptr_t lo, uintptr_t hi) {
  return std::any_of(running_.begin(), running_.end(),
                     [&](const Item& item) { return item.routine >= lo && item.routine < hi; });
}

size_t WorkQueues::index_of(WORK_QUEUE_TYPE type) {
  return type >= 0 && type < MaximumWorkQueue ? static_cast<size_t>(type) : size_t{MaximumWorkQueue};
}

}  // namespace nt
