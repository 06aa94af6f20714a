#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "nt/probe.h"
#include "nt/thread.h"

namespace nt {

class Live;
class Machine;

// Finds threads of a live machine that are stuck: a client's call or a command of the host that does not end, or a
// processor that stays raised. A wait that a client asked for (UnlimitedWait) is none of these.
//
// It counts looks, not time: one a second by a thread of its own, or as many as a test likes. A process that stands
// still in a debugger is not looked at, and does not grow stuck.
//
// What is told. Each thread that may have to do with it is sent a signal, and says in its handler where it is, what it
// waits for and what it holds (ThreadLook). The holder of what a stuck thread waits for is found among those. Who
// blocks the signal is told without a stack.
//
// Owned by the machine. look() is called by one thread at a time, which is none of the machine's.
class StuckWatch {
 public:
  StuckWatch(Machine& machine, Live& live);
  ~StuckWatch();
  StuckWatch(const StuckWatch&) = delete;
  StuckWatch& operator=(const StuckWatch&) = delete;

  // Looks every second from now on, unless the machine's limit is 0. What is stuck is told to the probe, and the
  // machine is stopped.
  void start();
  void stop();

  // One look. What is to be told when a thread has been stuck for `limit` looks or more.
  std::optional<Breach> look(uint32_t limit);
  // The same, and tells it.
  void look_and_stop(uint32_t limit);

 private:
  // What a thread's two counters were at the last look, and for how many looks each has been the same odd number.
  struct Seen {
    uint32_t work = 0, raised = 0;
    uint32_t work_looks = 0, raised_looks = 0;
  };

  void watch();
  static uint32_t count(uint32_t now, uint32_t& last, uint32_t& looks);
  Breach report(std::vector<Thread*> threads, const std::vector<Thread*>& stuck, uint32_t looks);

  Machine& machine_;
  Live& live_;
  std::vector<Seen> seen_;  // by ordinal - 1
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
};

}  // namespace nt
