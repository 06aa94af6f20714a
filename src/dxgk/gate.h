#pragma once

#include <atomic>
#include <cstdint>
#include <deque>

#include "base/executor.h"
#include "base/mutex.h"

namespace nt {
class Machine;
}

namespace dxgk {

// Mutual exclusion that may be held while a driver runs: who has to wait parks in the machine and not in the system.
// First come, first served. Not recursive. Any thread of one machine, at PASSIVE_LEVEL.
class Gate {
 public:
  explicit Gate(nt::Machine& machine) : machine_(machine) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void enter() {
    uint32_t open = kOpen;
    if (!state_.compare_exchange_strong(open, kTaken, std::memory_order_acquire)) enter_slow();
    holder_.store(base::Executor::current(), std::memory_order_relaxed);
  }
  void leave() {
    holder_.store(nullptr, std::memory_order_relaxed);
    uint32_t taken = kTaken;
    if (!state_.compare_exchange_strong(taken, kOpen, std::memory_order_release)) leave_slow();
  }
  bool taken() const { return state_.load(std::memory_order_relaxed) != kOpen; }

 private:
  static constexpr uint32_t kOpen = 0, kTaken = 1, kContended = 2;
  struct Waiter {
    base::Task* task;
    std::atomic<bool> granted{false};
  };

  void enter_slow();
  void leave_slow();

  nt::Machine& machine_;
  std::atomic<uint32_t> state_{kOpen};
  std::atomic<base::Task*> holder_{nullptr};  // for who reports that others wait
  base::Mutex<base::LockRank::Adapter> lock_;
  std::deque<Waiter*> waiters_ GUARDED_BY(lock_);
};

// Inside of a gate for the length of a block.
class [[nodiscard]] Inside {
 public:
  explicit Inside(Gate& gate) : gate_(gate) { gate_.enter(); }
  ~Inside() { gate_.leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Gate& gate_;
};

}  // namespace dxgk
