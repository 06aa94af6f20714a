#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/ks/ks.h"
#include "base/mutex.h"
#include "base/small_vector.h"
#include "ks/control_mutex.h"
#include "ks/gate.h"
#include "nt/machine.h"

namespace ks {

// When Process of a pin or a filter is called, and on which thread: at once on the thread that triggers, or in a work
// item when that thread's IRQL is too high or the driver wants it so. One call at a time, however many trigger: who
// comes while one runs makes it go on. Knows nothing of frames: the Work does. Owned by a Processor; triggers come from
// any thread at DISPATCH_LEVEL or below, everything else at PASSIVE_LEVEL.
//
// Who triggers one loop from within another's Process (a frame that goes down a circuit, or comes back) is served when
// that call has returned, on the same thread: the processing mutexes of two pins are never held together, in no order,
// and a long circuit needs no deep stack. Ours.
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
  // How who triggers wants it.
  struct Manner {
    bool dispatch;      // Process runs at DISPATCH_LEVEL
    bool asynchronous;  // … in a work item, whatever the IRQL is
    WORK_QUEUE_TYPE queue;
  };

  // `gate` is the AND gate that the driver sees, in the machine's memory; `name` names the object in sentences.
  ProcessLoop(nt::Machine& machine, Work& work, KSGATE& gate, ControlMutex& mutex, std::string name);
  ~ProcessLoop();
  ProcessLoop(const ProcessLoop&) = delete;
  ProcessLoop& operator=(const ProcessLoop&) = delete;

  // Processes if everything is there and the gate is open; else nothing is remembered.
  void trigger(const Manner& manner);
  // Waits until no Process runs and none is queued; none begins until as many resume(). Who triggered meanwhile is
  // served then. A thread that runs Process, or holds the processing mutex, does not wait for itself.
  void suspend();
  void resume();

  // For Q-08: Process said to wait, and nobody has triggered since.
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
    base::SmallVector<ProcessLoop*, 4> triggered;
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
  Manner manner_ GUARDED_BY(lock_){};      // of who triggered last
  Again again_ GUARDED_BY(lock_) = Again::No;
  uint32_t suspended_ GUARDED_BY(lock_) = 0;
  Waiting waiting_ GUARDED_BY(lock_){};
  std::vector<base::Task*> waiters_ GUARDED_BY(lock_);  // in suspend()
};

}  // namespace ks
