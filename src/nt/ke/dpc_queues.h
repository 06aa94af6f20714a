#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "abi/km/wdm.h"
#include "base/executor.h"
#include "nt/ke/dispatcher.h"

namespace nt {

// KDPC.Type. Ours.
enum class DpcType : uint8_t { Normal = 0x21, Threaded };

// The DPC queue of each processor, and each processor's idle task. A thread that lowers its IRQL runs the DPCs of its
// processor; the idle task runs the others. A DPC's state is in the driver's KDPC; while it is queued it is in the
// in-use table. Uses the dispatcher lock.
class DpcQueues {
 public:
  DpcQueues(Machine& machine, Dispatcher& dispatcher);

  // Starts the idle tasks. Called once, when the machine runs.
  void start();

  // False when it is queued already. Targets the processor the DPC names, else the current one. What its routine
  // obtains will belong to `scope`.
  bool insert(KDPC& dpc, void* argument1, void* argument2, Scope* scope);
  // False when it was not queued.
  bool remove(KDPC& dpc);
  // Runs the current processor's DPCs. The caller is at DISPATCH_LEVEL, delivering, and not inside another DPC.
  void drain();
  bool pending(uint32_t processor) const { return queues_[processor].length.load(std::memory_order_acquire) != 0; }
  // Wakes the idle task of `processor`, which delivers what is pending there.
  void poke(uint32_t processor);
  // Returns once every DPC that is queued or running now has run.
  void flush();
  // The same for one DPC. Others may still be queued.
  void flush(const KDPC& dpc);

 private:
  struct Queued {
    KDPC* dpc;
    Scope* scope = nullptr;
    uint64_t ticket;
  };
  struct Queue {
    std::deque<Queued> waiting;       // under the dispatcher lock
    std::deque<Queued> threaded;      // taken off `waiting`, for the idle thread to run at PASSIVE_LEVEL
    std::atomic<uint32_t> length{0};  // of `waiting`; read without the lock
    std::atomic<base::Task*> idle{nullptr};
  };
  struct Unfinished {
    uint64_t ticket;
    const KDPC* dpc;
  };
  // Returns once none of what is queued or running now, and meant, is left.
  template <typename Meant>
  void wait_for(Meant meant);
  // Takes the next DPC of `from` and runs it; false when there is none.
  bool run_next(std::deque<Queued>& from);
  // A DPC has run or was removed: puts the threads that flush the queues on the wake list.
  void finished(uint64_t ticket, WakeList& flushing) REQUIRES(dispatcher_.lock());
  void defer_threaded(Queue& queue);
  void idle_loop();

  Machine& machine_;
  Dispatcher& dispatcher_;
  std::deque<Queue> queues_;  // one per processor
  uint64_t last_ticket_ GUARDED_BY(dispatcher_.lock()) = 0;
  std::vector<Unfinished> unfinished_ GUARDED_BY(dispatcher_.lock());  // what is queued or runs, by ascending ticket
  std::vector<base::Task*> flushing_ GUARDED_BY(dispatcher_.lock());
};

}  // namespace nt
