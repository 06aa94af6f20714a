#include "dxgk/gate.h"

#include "nt/machine.h"

namespace dxgk {

void Gate::enter_slow() {
  base::Executor& executor = machine_.executor();
  Waiter self{base::Executor::current()};
  CHECK(self.task);
  {
    base::Guard guard(lock_);
    // From here on whoever leaves comes through leave_slow() and finds us.
    if (state_.exchange(kContended, std::memory_order_acquire) == kOpen) {
      if (waiters_.empty()) state_.store(kTaken, std::memory_order_relaxed);
      return;
    }
    waiters_.push_back(&self);
  }
  nt::WaitingFor waits("a gate of the graphics kernel", &holder_);
  while (!self.granted.load(std::memory_order_acquire)) executor.park(base::kForever, base::Point::Lock);
}

// The gate is handed over taken: nobody can slip in between.
void Gate::leave_slow() {
  Waiter* next = nullptr;
  base::Task* task = nullptr;
  {
    base::Guard guard(lock_);
    if (waiters_.empty()) {
      state_.store(kOpen, std::memory_order_release);
      return;
    }
    next = waiters_.front();
    waiters_.pop_front();
    if (waiters_.empty()) state_.store(kTaken, std::memory_order_relaxed);
    task = next->task;
    next->granted.store(true, std::memory_order_release);
  }
  machine_.executor().unpark(*task);
}

}  // namespace dxgk
