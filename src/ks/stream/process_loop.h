#pragma once

#include <atomic>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/ks/ks.h"
#include "base/mutex.h"
#include "ks/device/control_mutex.h"
#include "ks/stream/gate.h"
#include "nt/machine/machine.h"

namespace ks {

// Decides when Process of a pin or a filter is called, and on which thread: at once on the thread that triggers, or in
// a work item when that thread's IRQL is too high or the driver wants it so. One call runs at a time; a trigger that
// comes while it runs makes the loop call Process again. The loop knows nothing of frames: the Work does. Owned by a
// Processor; triggers come from any thread at DISPATCH_LEVEL or below, everything else at PASSIVE_LEVEL.
//
// A trigger of one loop from within another's Process (a frame that goes down a circuit, or comes back) takes effect
// when that call has returned, on the same thread. So the processing mutexes of two pins are never held together, and a
// long circuit needs no deep stack. Ours.
class ProcessLoop {
 public:
  enum class Outcome : uint8_t {
    More,   // processed something: call again while there is more
    Wait,   // nothing more until the next trigger
    NotNow  // the driver was not called after all: the frames went away meanwhile
  };
  // What there is to process. Called by one thread at a time, with nothing held but, in run(), the processing mutex.
  class Work {
   public:
    // The frames and states that Process needs are there.
    virtual bool ready() = 0;
    // Calls the driver once.
    virtual Outcome run() = 0;
    // Differs before and after a run() in which the driver did something with its frames.
    virtual uint64_t progress() = 0;
    // Frames that have come so far.
    virtual uint64_t arrivals() = 0;
    // A clone holds a frame: the driver, or its hardware, has it in hand.
    virtual bool cloned() = 0;

   protected:
    ~Work() = default;
  };
  // How a trigger wants Process to be called.
  struct Manner {
    bool dispatch;      // Process runs at DISPATCH_LEVEL
    bool asynchronous;  // Process runs in a work item, whatever the IRQL is
    WORK_QUEUE_TYPE queue;
  };

  // `gate` is the AND gate that the driver sees, in the machine's memory; `name` names the object in sentences.
  ProcessLoop(nt::Machine& machine, Work& work, KSGATE& gate, ControlMutex& mutex, std::string name);
  ~ProcessLoop();
  ProcessLoop(const ProcessLoop&) = delete;
  ProcessLoop& operator=(const ProcessLoop&) = delete;

  // Processes if everything is there and the gate is open; else nothing is remembered.
  void trigger(const Manner& manner);
  // Waits until no Process runs and none is queued. None begins until resume() was called as often; triggers that came
  // meanwhile take effect then. A thread that runs Process, or holds the processing mutex, does not wait for itself.
  void suspend();
  void resume();

  // For Q-08: Process returned PENDING, and no trigger has come since.
  struct Waiting {
    bool waits;
    base::TimeNs since;
    uint64_t progress;  // as it was then
  };
  Waiting waiting();
  uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }

 private:
  enum class Again : uint8_t { No, Here, Later };
  // The loops that were triggered from within a call of Process.
  struct Nest {
    boost::container::small_vector<ProcessLoop*, 4> triggered;
  };

  void queue_work(WORK_QUEUE_TYPE queue);
  void work_item();
  void run(Manner manner);
  void run_rounds(const Manner& manner);
  bool suspended();
  Outcome run_once(const Manner& manner);
  Outcome run_under_mutex();
  bool stuck(uint64_t progress, uint64_t arrivals);
  void note_waiting();

  nt::Machine& machine_;
  Work& work_;
  KSGATE& gate_;
  ControlMutex& mutex_;
  const std::string name_;
  GateInput input_;  // the class's own, on while the Work is ready; brought up to date before each call, not between
  bool gate_judged_ = false;
  uint32_t idle_calls_ = 0;  // in a row: SUCCESS with nothing done
  std::atomic<uint64_t> calls_{0};

  base::Mutex<base::LockRank::Adapter> lock_;
  nt::Thread* runner_ GUARDED_BY(lock_) = nullptr;
  bool queued_ GUARDED_BY(lock_) = false;  // a work item, or in a Nest
  Manner manner_ GUARDED_BY(lock_){};      // of the last trigger
  Again again_ GUARDED_BY(lock_) = Again::No;
  uint32_t suspended_ GUARDED_BY(lock_) = 0;
  Waiting waiting_ GUARDED_BY(lock_){};
  std::vector<base::Task*> waiters_ GUARDED_BY(lock_);  // in suspend()
};

}  // namespace ks
