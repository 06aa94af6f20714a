#pragma once

#include <atomic>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"

namespace nt {
class Machine;
}

namespace dxgk {

// An event that happens once, and the threads that wait for it. Any thread of the machine.
class Completion {
 public:
  bool done() const { return done_.load(std::memory_order_acquire); }
  void complete(nt::Machine& machine);
  // At PASSIVE_LEVEL, with no mutex held.
  void wait(nt::Machine& machine);

 private:
  std::atomic<bool> done_{false};
  base::Mutex<base::LockRank::Adapter> lock_;
  std::vector<base::Task*> waiters_ GUARDED_BY(lock_);
};

}  // namespace dxgk
