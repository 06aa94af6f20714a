#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "nt/machine/machine_observer.h"
#include "nt/machine/thread.h"

namespace nt {

class LiveExecutor;
class Machine;

// Finds stuck threads of a machine with the LiveExecutor: a client's call or a command of the host that does not end,
// or a processor that stays at a raised IRQL. A wait that a client asked for (UnlimitedWait) is none of these.
//
// It counts looks, not time. A thread of its own looks once a second; a test looks as often as it likes. A process that
// a debugger has stopped is not looked at, so it does not become stuck.
//
// The report. Each thread that may be involved is sent a signal, and its handler records where the thread is, what it
// waits for and what it holds (ThreadLook). The holder of what a stuck thread waits for is found among those. A thread
// that blocks the signal is reported without a stack.
//
// Owned by the machine. look() is called by one thread at a time, which is none of the machine's.
class StuckWatch {
 public:
  StuckWatch(Machine& machine, LiveExecutor& live);
  ~StuckWatch();
  StuckWatch(const StuckWatch&) = delete;
  StuckWatch& operator=(const StuckWatch&) = delete;

  // Looks every second from now on, unless the machine's limit is 0. What is stuck is reported to the observer,
  // and the machine is stopped.
  void start();
  void stop();

  // One look. Returns the violation to report when a thread has been stuck for `limit` looks or more.
  std::optional<ViolationReport> look(uint32_t limit);
  // The same, and reports it.
  void look_and_stop(uint32_t limit);

 private:
  // What a thread's two counters were at the last look, and for how many looks each has been the same odd number.
  struct Seen {
    uint32_t work = 0, raised = 0;
    uint32_t work_looks = 0, raised_looks = 0;
  };

  void watch();
  static uint32_t count(uint32_t now, uint32_t& last, uint32_t& looks);
  ViolationReport report(std::vector<Thread*> threads, const std::vector<Thread*>& stuck, uint32_t looks);

  Machine& machine_;
  LiveExecutor& live_;
  std::vector<Seen> seen_;  // by ordinal - 1
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
};

}  // namespace nt
