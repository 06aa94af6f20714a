#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/annotations.h"
#include "base/check.h"

namespace base {

// The whole lock order of the project, outermost first: a thread takes strictly increasing ranks. Copied into
// docs/locks.md; a test compares the two.
enum class LockRank : uint8_t {
  Runtime = 5,      // one Direct3D runtime: handles, resources and batches
  Table = 10,       // handle tables, process and adapter lists
  Adapter = 20,     // one adapter's objects and lists
  Scheduler = 22,   // one adapter's contexts, packets and nodes
  Memory = 24,      // one adapter's video memory and GPU addresses
  Fence = 26,       // values of synchronisation objects, and the waits for them
  Dispatcher = 30,  // the machine: waits, timers, DPC queues
  Pool = 35,        // the machine's pool of driver memory
  Trace = 40,       // leaf
};

// Which ranks this OS thread holds. Only kept outside release builds.
#ifdef DRYDOCK_DEBUG
void rank_acquired(LockRank rank);
void rank_released(LockRank rank);
bool holds_any_mutex();
#else
inline void rank_acquired(LockRank) {}
inline void rank_released(LockRank) {}
inline bool holds_any_mutex() { return false; }
#endif

// A mutex for data that a thread touches for nanoseconds. It blocks the OS thread, so nothing may park, yield or call a
// driver while holding one; under the SimulatedExecutor it is never contended.
class RawMutex {
 public:
  bool is_locked() const { return state_.load(std::memory_order_relaxed) != 0; }
  void lock() {
    uint32_t free = 0;
    if (!state_.compare_exchange_strong(free, 1, std::memory_order_acquire)) lock_slow();
  }
  bool try_lock() {
    uint32_t free = 0;
    return state_.compare_exchange_strong(free, 1, std::memory_order_acquire);
  }
  void unlock() {
    if (state_.exchange(0, std::memory_order_release) == 2) wake_one();
  }

 private:
  void lock_slow();
  void wake_one();
  std::atomic<uint32_t> state_{0};  // 0 free, 1 held, 2 held with waiters
};

template <LockRank Rank>
class CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() ACQUIRE() {
    rank_acquired(Rank);
    raw_.lock();
  }
  void unlock() RELEASE() {
    raw_.unlock();
    rank_released(Rank);
  }
  // For a function that is called back while its caller's caller holds the lock.
  void assert_held() const ASSERT_CAPABILITY(this) { DCHECK(raw_.is_locked()); }

 private:
  RawMutex raw_;
};

template <LockRank Rank>
class SCOPED_CAPABILITY Guard {
 public:
  explicit Guard(Mutex<Rank>& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Guard() RELEASE() { mutex_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Mutex<Rank>& mutex_;
};
template <LockRank Rank>
Guard(Mutex<Rank>&) -> Guard<Rank>;

// A value that can only be reached under its lock.
template <typename T, LockRank Rank>
class Protected {
 public:
  template <typename... Args>
  explicit Protected(Args&&... args) : value_(std::forward<Args>(args)...) {}

  template <typename F>
  decltype(auto) with(F&& f) {
    Guard<Rank> guard(mutex_);
    return std::forward<F>(f)(value_);
  }

 private:
  Mutex<Rank> mutex_;
  T value_ GUARDED_BY(mutex_);
};

}  // namespace base
