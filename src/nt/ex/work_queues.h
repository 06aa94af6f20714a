#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <vector>

#include "abi/km/wdm.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "nt/machine/scope.h"

// What a PIO_WORKITEM points to: in the machine's memory or, after IoInitializeWorkItem, in the driver's. Whether it is
// queued is known to WorkQueues only. Opaque to drivers.
struct _IO_WORKITEM {
  uint32_t signature;
  PVOID io_object;  // a device object or a driver object
  nt::Tracked tracked;
};

namespace nt {

class Machine;

// System worker threads and the items queued for them. Each queue has a few threads; one is made when there is work and
// all others are busy. So items of one queue run side by side, as on Windows. When items wait and no worker has taken
// one for a while, all workers are blocked, perhaps by an item that waits for a queued one. The queue then gets another
// thread, as on Windows (observed, Windows Internals: dynamic worker threads). How many and how soon is our policy.
// Owned by the machine; any of its threads, at DISPATCH_LEVEL or below.
class WorkQueues {
 public:
  explicit WorkQueues(Machine& machine) : machine_(machine) {}

  struct Item {
    const void* address = nullptr;  // of the driver's work item: what it is known by
    uintptr_t routine = 0;          // the driver's
    std::function<void()> call;     // enters the driver
    const void* holds = nullptr;    // the device or driver object of IoQueueWorkItem, which must outlive it
  };
  // Violation::ReinitialisedLive, and nothing is queued, when the item is queued already.
  void queue(Item item, WORK_QUEUE_TYPE type);
  bool queued(const void* address);
  // Takes an item out without running it.
  void forget(const void* address);

  // The driver image [lo, hi) is about to be unloaded. An item of IoQueueWorkItem keeps its device object until it has
  // run (documented), and so, we assume, the driver: waits for those. An item of ExQueueWorkItem keeps nothing:
  // Violation::UnloadedLive.
  void image_gone(uintptr_t lo, uintptr_t hi);

 private:
  static constexpr uint32_t kWorkers = 3;        // per queue, before any waits
  static constexpr uint32_t kMostWorkers = 512;  // per queue
  static constexpr base::TimeNs kPatience = 10'000'000;
  struct Queue {
    std::list<Item> items;
    std::vector<base::Task*> idle;
    uint32_t workers = 0;
    uint64_t taken = 0;       // items, so far
    uint64_t taken_then = 0;  // `taken` when balance() ran last

    bool crowded() const { return !items.empty() && idle.empty() && workers < kMostWorkers; }
  };

  static size_t index_of(WORK_QUEUE_TYPE type);
  bool queued_locked(const void* address) REQUIRES(lock_);
  void start_worker(size_t index, uint32_t ordinal);
  void work(size_t index);
  // The thread that gives crowded queues more workers. It is made when a queue is crowded for the first time.
  void balance();
  void start_or_wake_balance();
  void run(const Item& item);
  // Of the image [lo, hi): an item that is queued, or null; whether one runs.
  const Item* find_queued(uintptr_t lo, uintptr_t hi) REQUIRES(lock_);
  bool find_running(uintptr_t lo, uintptr_t hi) REQUIRES(lock_);

  Machine& machine_;
  base::Mutex<base::LockRank::Dispatcher> lock_;
  std::array<Queue, MaximumWorkQueue + 1> queues_ GUARDED_BY(lock_);  // the last one for priorities of the driver's own
  std::list<Item> running_ GUARDED_BY(lock_);
  std::vector<base::Task*> waiting_ GUARDED_BY(lock_);  // for the end of an item
  uint32_t worker_count_ GUARDED_BY(lock_) = 0;
  enum class Balance : uint8_t { NotMade, Looking, Asleep };
  Balance balance_ GUARDED_BY(lock_) = Balance::NotMade;
  base::Task* balance_task_ GUARDED_BY(lock_) = nullptr;  // set by itself
};

}  // namespace nt
