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

// A mutex that may be held while a driver runs: a thread that waits for it parks in the machine's executor, not in the
// operating system. First come, first served. Not recursive. Any thread of one machine, at PASSIVE_LEVEL.
class ParkingMutex {
 public:
  explicit ParkingMutex(nt::Machine& machine) : machine_(machine) {}
  ParkingMutex(const ParkingMutex&) = delete;
  ParkingMutex& operator=(const ParkingMutex&) = delete;

  void lock() {
    uint32_t open = kOpen;
    if (!state_.compare_exchange_strong(open, kLocked, std::memory_order_acquire)) lock_slow();
    holder_.store(base::Executor::current(), std::memory_order_relaxed);
  }
  void unlock() {
    holder_.store(nullptr, std::memory_order_relaxed);
    uint32_t taken = kLocked;
    if (!state_.compare_exchange_strong(taken, kOpen, std::memory_order_release)) unlock_slow();
  }
  bool locked() const { return state_.load(std::memory_order_relaxed) != kOpen; }

 private:
  static constexpr uint32_t kOpen = 0, kLocked = 1, kContended = 2;
  struct Waiter {
    base::Task* task;
    std::atomic<bool> granted{false};
  };

  void lock_slow();
  void unlock_slow();

  nt::Machine& machine_;
  std::atomic<uint32_t> state_{kOpen};
  std::atomic<base::Task*> holder_{nullptr};  // for reports about threads that wait
  base::Mutex<base::LockRank::Adapter> lock_;
  std::deque<Waiter*> waiters_ GUARDED_BY(lock_);
};

// Holds a mutex for the length of a block.
class [[nodiscard]] ParkingLock {
 public:
  explicit ParkingLock(ParkingMutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~ParkingLock() { mutex_.unlock(); }
  ParkingLock(const ParkingLock&) = delete;
  ParkingLock& operator=(const ParkingLock&) = delete;

 private:
  ParkingMutex& mutex_;
};

}  // namespace dxgk
