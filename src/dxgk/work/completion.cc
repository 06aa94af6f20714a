#include "dxgk/work/completion.h"

#include "nt/machine/machine.h"

namespace dxgk {

void Completion::complete(nt::Machine& machine) {
  std::vector<base::Task*> woken;
  {
    base::Guard guard(lock_);
    done_.store(true, std::memory_order_release);
    woken.swap(waiters_);
  }
  for (base::Task* task : woken) machine.executor().unpark(*task);
}

void Completion::wait(nt::Machine& machine) {
  while (!done()) {
    {
      base::Guard guard(lock_);
      if (done_.load(std::memory_order_relaxed)) return;
      waiters_.push_back(base::Executor::current());
    }
    nt::WaitingFor waits("work of the graphics kernel to end");
    machine.executor().park(base::kForever, base::Point::Wait);
  }
}

}  // namespace dxgk
