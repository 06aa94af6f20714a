#pragma once

#include <algorithm>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"
#include "nt/machine/machine.h"

namespace dxgk {

// A thread waits for a condition that other threads make true. The waiter evaluates its own condition, again after
// every change; the thread that changes something calls notify(). Any thread of the machine.
class Condition {
 public:
  // At PASSIVE_LEVEL, with no lock held; `done` takes whatever lock it needs.
  template <typename Done>
  void wait(nt::Machine& machine, Done&& done) {
    base::Task* self = base::Executor::current();
    nt::WaitingFor waits("work of the graphics kernel to end");
    while (!done()) {
      {
        base::Guard guard(lock_);
        waiters_.push_back(self);
      }
      if (!done()) machine.executor().park(base::kForever, base::Point::Wait);
      base::Guard guard(lock_);
      std::erase(waiters_, self);
    }
  }

  // At any IRQL up to DISPATCH_LEVEL, with no lock held.
  void notify(nt::Machine& machine) {
    std::vector<base::Task*> woken;
    {
      base::Guard guard(lock_);
      if (waiters_.empty()) return;
      woken.swap(waiters_);
    }
    for (base::Task* task : woken) machine.executor().unpark(*task);
  }

 private:
  base::Mutex<base::LockRank::Adapter> lock_;
  std::vector<base::Task*> waiters_ GUARDED_BY(lock_);
};

}  // namespace dxgk
