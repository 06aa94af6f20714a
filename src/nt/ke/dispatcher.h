#pragma once

#include <boost/container/small_vector.hpp>
#include <span>

#include "abi/km/wdm.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/result.h"
#include "nt/machine/in_use_table.h"
#include "nt/machine/thread.h"

namespace nt {

// What DISPATCHER_HEADER.Type says an object is. Ours: the documentation calls the header opaque.
enum class ObjectType : uint8_t {
  NotificationEvent = 0x11,
  SynchronizationEvent,
  Mutex,
  Semaphore,
  NotificationTimer,
  SynchronizationTimer,
  Thread,
};
inline constexpr uint16_t kHeaderSignature = 0xD15C;
inline constexpr uint16_t kDpcSignature = 0xD9CD;

// The number that initialise() gave an object, for the trace.
inline uint32_t ordinal_of(const DISPATCHER_HEADER& header) { return static_cast<uint32_t>(header.Reserved1[0]); }
inline uint32_t ordinal_of(const KDPC& dpc) { return static_cast<uint32_t>(dpc.Reserved1[0]); }

// Tasks to unpark once the lock is released.
class WakeList {
 public:
  void add(base::Task& task) { tasks_.push_back(&task); }
  void wake(base::Executor& executor) {
    for (base::Task* task : tasks_) executor.unpark(*task);
  }

 private:
  boost::container::small_vector<base::Task*, 8> tasks_;
};

// Waiting and signalling. The state of an object is in the object, in the driver's own memory; the in-use table holds
// only the waiting threads. Takes the dispatcher lock itself, which also guards timers, DPC queues and the in-use
// table.
//
//   wait:   lock; take what is signalled, or queue a block on every object; unlock; park; the signaller takes for us
//   signal: lock; change the state; satisfy waiters in order until the state is used up; unlock; unpark them
class Dispatcher {
 public:
  using Lock = base::Mutex<base::LockRank::Dispatcher>;
  using Guard = base::Guard<base::LockRank::Dispatcher>;

  explicit Dispatcher(Machine& machine) : machine_(machine) {}

  // STATUS_WAIT_0 + index (any), STATUS_SUCCESS (all) or STATUS_TIMEOUT. `deadline` 0 never blocks.
  NTSTATUS wait(std::span<void* const> objects, WAIT_TYPE type, base::TimeNs deadline) EXCLUDES(lock_);

  // Starts an object's life. Violation::ReinitialisedLive if it is in use.
  void initialise(void* object, size_t bytes, ObjectType type, LONG state) EXCLUDES(lock_);

  // Each returns the state before.
  LONG set_event(KEVENT& event) EXCLUDES(lock_);
  LONG reset(DISPATCHER_HEADER& header) EXCLUDES(lock_);
  LONG read(const DISPATCHER_HEADER& header) const;
  base::Result<LONG> release_semaphore(KSEMAPHORE& semaphore, LONG adjustment) EXCLUDES(lock_);
  base::Result<LONG> release_mutex(KMUTEX& mutex) EXCLUDES(lock_);
  // A timer expired or a thread ended: signals it for all waiters, or for one if it is a synchronization object.
  void signal(DISPATCHER_HEADER& header) EXCLUDES(lock_);

  // Violation::NotInitialised unless `header` was initialised as something that can be waited for.
  bool waitable(const DISPATCHER_HEADER& header, const char* function) {
    bool known_type = header.Type >= static_cast<UCHAR>(ObjectType::NotificationEvent) &&
                      header.Type <= static_cast<UCHAR>(ObjectType::Thread);
    return (header.Signature == kHeaderSignature && known_type) || known(header, {}, function);
  }
  // The same, and the object must be of one of the given types.
  bool known(const DISPATCHER_HEADER& header, std::initializer_list<ObjectType> types, const char* function);

  // Memory [lo, hi) is freed, or its driver is unloaded. Reports the objects in it that are still in use, and forgets
  // them.
  enum class Gone : uint8_t { Freed, Unloaded };
  void memory_gone(uintptr_t lo, uintptr_t hi, Gone how, const char* what) EXCLUDES(lock_);
  // Numbers the kernel objects of the run, so that a trace can name them. Kept in the object's own reserved words.
  uint32_t next_ordinal() EXCLUDES(lock_) {
    Guard guard(lock_);
    return ++last_ordinal_;
  }

  Lock& lock() RETURN_CAPABILITY(lock_) { return lock_; }
  InUseTable& live() REQUIRES(lock_) { return live_; }

 private:
  bool is_live(uintptr_t address, InUseKind kind) EXCLUDES(lock_);
  bool signalled(const DISPATCHER_HEADER& header, const Thread& for_thread) const REQUIRES(lock_);
  void take(DISPATCHER_HEADER& header, Thread& thread) REQUIRES(lock_);
  bool take_all(std::span<void* const> objects, Thread& thread) REQUIRES(lock_);
  void enqueue(Thread& thread, std::span<void* const> objects) REQUIRES(lock_);
  void dequeue(Thread& thread) REQUIRES(lock_);
  void append(WaitBlock& block) REQUIRES(lock_);
  void unlink(WaitBlock& block) REQUIRES(lock_);
  // Satisfies the waiters of `header` in order, until its state is used up.
  void wake_waiters(DISPATCHER_HEADER& header, WakeList& woken) REQUIRES(lock_);
  bool try_satisfy(WaitBlock& block) REQUIRES(lock_);

  Machine& machine_;
  Lock lock_;
  InUseTable live_ GUARDED_BY(lock_);
  uint32_t last_ordinal_ GUARDED_BY(lock_) = 0;
};

}  // namespace nt
