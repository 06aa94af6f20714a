#include "dxgk/sync/parking_mutex.h"

#include "nt/machine/machine.h"

namespace dxgk {

void ParkingMutex::lock_slow() {
  base::Executor& executor = machine_.executor();
  Waiter self{base::Executor::current()};
  CHECK(self.task);
  {
    base::Guard guard(lock_);
    // From here on the thread that unlocks calls unlock_slow() and finds this waiter.
    if (state_.exchange(kContended, std::memory_order_acquire) == kOpen) {
      if (waiters_.empty()) state_.store(kLocked, std::memory_order_relaxed);
      return;
    }
    waiters_.push_back(&self);
  }
  nt::WaitingFor waits("a mutex of the graphics kernel", &holder_);
  executor.park_until([&] { return self.granted.load(std::memory_order_acquire); }, base::Point::Lock);
}

// The mutex stays locked while it passes to the next waiter: no third thread can take it in between.
void ParkingMutex::unlock_slow() {
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
    if (waiters_.empty()) state_.store(kLocked, std::memory_order_relaxed);
    task = next->task;
    next->granted.store(true, std::memory_order_release);
  }
  machine_.executor().unpark(*task);
}

}  // namespace dxgk
