#pragma once

#include <cstdint>
#include <string>

#include "base/here.h"

namespace base {

using TimeNs = uint64_t;  // the machine's time, in nanoseconds since it was built
inline constexpr TimeNs kForever = ~TimeNs{0};

// One thread of execution. Made by Executor::spawn, ends when its entry returns; owned by the executor.
class Task {
 public:
  Task(std::string name, uint32_t ordinal) : name_(std::move(name)), ordinal_(ordinal) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const std::string& name() const { return name_; }
  uint32_t ordinal() const { return ordinal_; }  // counts from 1 in order of creation; the same for the same seed

  void* local = nullptr;  // for the use of the code that spawned the task

 protected:
  ~Task() = default;

 private:
  std::string name_;
  uint32_t ordinal_;
};

inline constexpr uint32_t kAnyProcessor = ~uint32_t{0};

// What a scheduling point is, for policies and traces.
enum class Point : uint8_t { Yield, Lock, Unlock, Wait, Signal, Irql, Dpc, Interrupt, Call, Edge, Exit };

enum class Wake : uint8_t { Unparked, Deadline };

// What the machine runs on: tasks, time, and the choice of the next task. Every NT primitive is written once above
// this. Two implementations: nt::SimulatedExecutor (fibers, virtual time, seeded choice) and nt::LiveExecutor (OS
// threads, real time).
class Executor {
 public:
  virtual ~Executor() = default;

  // Starts a task. `processor` restricts it to one processor (a processor's idle task).
  virtual Task& spawn(std::string name, void (*entry)(void*), void* arg, uint32_t processor = kAnyProcessor) = 0;
  // Blocks the current task until unparked or until `deadline`. A permit given earlier is consumed at once.
  virtual Wake park(TimeNs deadline, Point point) = 0;
  // Gives the task its permit (at most one is kept) and makes it runnable.
  virtual void unpark(Task& task) = 0;
  // A scheduling point: another task may run now. The LiveExecutor does nothing.
  virtual void yield(Point point) = 0;
  // From pin to unpin the current task owns a processor (IRQL >= DISPATCH_LEVEL).
  virtual void pin() = 0;
  virtual void unpin() = 0;
  // From now on the current task runs on this processor only (kAnyProcessor: on any).
  virtual void bind(uint32_t processor) = 0;
  virtual uint32_t processor() = 0;  // where the current task runs
  virtual uint32_t processor_count() const = 0;
  virtual TimeNs now() = 0;
  // Lets `duration` pass without giving up the processor.
  virtual void stall(TimeNs duration) = 0;
  // A seeded number, for choices that belong to the schedule.
  virtual uint64_t choose(uint64_t below) = 0;

  static Task* current() { return t_current; }

  // Parks the current task until `done()`. The code that makes it true unparks the task.
  template <typename Done>
  void park_until(Done&& done, Point point) {
    while (!done()) park(kForever, point);
  }
  // Parks the current task until that time has come. Permits that it is given meanwhile are lost.
  void sleep_until(TimeNs time) {
    while (park(time, Point::Wait) != Wake::Deadline) {
    }
  }
  void sleep_for(TimeNs duration) { sleep_until(now() + duration); }

 protected:
  // constinit: every access would otherwise ask first whether it has been initialised.
  static thread_local constinit Task* t_current;
};

}  // namespace base
