#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/executor.h"
#include "nt/machine/choice_source.h"
#include "nt/machine/deadlines.h"
#include "nt/machine/edge.h"
#include "nt/machine/fiber.h"

namespace nt {

// The executor of checks, tests and fuzzing. Tasks are fibers on one OS thread; time is virtual and jumps to the next
// deadline when no task can run; at every scheduling point the seeded policy picks the task that goes on.
//
// Processors. A task below DISPATCH_LEVEL may run on any free processor; from pin() to unpin() it owns the one it is
// on. So at most `processors` tasks are between two scheduling points of raised code at once, and when all processors
// are owned no other task can run. A real machine allows the same: below DISPATCH_LEVEL a thread can be preempted
// anywhere.
//
// Time. An edge of driver code costs kEdgeNs, a scheduling point kPointNs: a driver that polls the clock sees it move.
class SimulatedExecutor final : public base::Executor {
 public:
  enum class Stuck : uint8_t {
    Deadlock,  // no task can ever run again
    Hang,      // one task executes edges and never calls us
    Livelock,  // tasks run and call us, and none makes progress
  };

  // Implemented by the machine. Called on the current task's stack, never while a base::Mutex is held.
  class Owner {
   public:
    virtual void at_point(base::Point point) = 0;  // interrupts and DPCs are delivered here
    virtual void switched(base::Task& to) = 0;     // `to` runs from here on
    virtual void picked([[maybe_unused]] base::Point point, [[maybe_unused]] uint32_t next,
                        [[maybe_unused]] uint32_t runnable) {}
    [[noreturn]] virtual void stuck(Stuck how) = 0;           // ends in abandon()
    [[noreturn]] virtual void diverged() = 0;                 // a replayed schedule does not fit; ends in abandon()
    virtual void edge(EdgeEvent event, uintptr_t frame) = 0;  // PagedCode and StackTooDeep

   protected:
    ~Owner() = default;
  };

  struct Options {
    uint32_t processors = 2;
    uint64_t seed = 0;
    PolicyKind policy = PolicyKind::RoundRobin;
    // Edges without a call into the kernel that make a hang: enough for a loop that passes over the bytes of a picture
    // of 3840 x 2160 several times.
    uint64_t hang_edges = 250'000'000;
    uint64_t livelock_points = 1'000'000;  // scheduling points without progress that make a livelock
    // A livelock too: kLivelockHangs times hang_edges without progress, by tasks that do call the kernel.
    base::TimeNs time_limit = 3'600'000'000'000;  // virtual time after which a run is a livelock
  };

  static constexpr base::TimeNs kEdgeNs = 10;
  static constexpr base::TimeNs kPointNs = 50;
  static constexpr uint64_t kLivelockHangs = 2;

  SimulatedExecutor(Owner& owner, const Options& options);
  ~SimulatedExecutor() override;

  ChoiceSource& choices() { return choices_; }

  // Runs `entry(arg)` as the first task, and the tasks it spawns, until it returns or a task calls abandon().
  // Tasks that are left are never resumed; their stacks are reused only by the next executor.
  enum class Ended : uint8_t { Returned, Abandoned };
  Ended run(std::string name, void (*entry)(void*), void* arg);
  [[noreturn]] void abandon();

  base::Task& spawn(std::string name, void (*entry)(void*), void* arg, uint32_t processor) override;
  base::Wake park(base::TimeNs deadline, base::Point point) override;
  void unpark(base::Task& task) override;
  void yield(base::Point point) override;
  void pin() override;
  void unpin() override;
  void bind(uint32_t processor) override;
  uint32_t processor() override;
  uint32_t processor_count() const override { return options_.processors; }
  base::TimeNs now() override { return time_ + burnt() * kEdgeNs; }
  base::TimeNs elapsed() const { return time_; }  // after a run: how long it was
  void stall(base::TimeNs duration) override { time_ += duration; }
  uint64_t choose(uint64_t below) override;

  // Progress was made: a task started, ended, waited or was woken.
  void progress() { points_without_progress_ = edges_without_progress_ = 0; }

  // When virtual time is beyond it, the run is a livelock. kForever: never.
  void set_alarm(base::TimeNs at) { alarm_ = at; }

  // For reports: every task that has not ended, in order of creation, with what a stack capture of it needs.
  struct View {
    base::Task* task;
    bool current;  // the one that asks
    bool parked;
    base::StackBounds stack;
    uintptr_t frame;  // innermost saved frame pointer of a suspended task; 0 when it has not begun
  };
  std::vector<View> tasks();
  base::StackBounds current_stack();
  size_t deadline_count() const { return deadlines_.size(); }  // tasks that are parked until a time

 private:
  struct SimTask final : base::Task {
    using base::Task::Task;
    Fiber fiber;
    void (*entry)(void*) = nullptr;
    void* arg = nullptr;
    SimulatedExecutor* owner = nullptr;
    uint32_t home = base::kAnyProcessor;
    uint32_t processor = 0;
    bool pinned = false;
    bool done = false;
    bool permit = false;
    bool timed_out = false;
    uint32_t ready_index = kNotReady;
    Deadline deadline;  // of the park it is in
    uint64_t priority = 0;
    uint64_t edges_without_call = 0;
    uintptr_t frame = 0;
  };
  static constexpr uint32_t kNotReady = ~uint32_t{0};

  static void task_main(void* raw);
  static void on_edge(void* self, EdgeEvent event, uintptr_t frame);
  SimTask& me() { return static_cast<SimTask&>(*t_current); }
  uint64_t burnt() const { return static_cast<uint64_t>(t_edge.granted - t_edge.fuel); }
  void settle_fuel();
  void refuel();
  void make_ready(SimTask& task);
  void make_unready(SimTask& task);
  void expire_deadlines();
  void wait_for_someone();
  bool too_late() const { return time_ > options_.time_limit || time_ > alarm_; }
  bool eligible(const SimTask& task) const;
  void reschedule(base::Point point);
  void place(SimTask& next);
  void resume(SimTask& next);
  void count_point();
  void fall_behind_if_spinning();

  Owner& owner_;
  Options options_;
  ChoiceSource choices_;
  std::deque<std::unique_ptr<SimTask>> tasks_;
  std::vector<SimTask*> ready_;  // the tasks that can run, the current one among them
  uint64_t owned_processors_ = 0;
  Deadlines<SimTask> deadlines_;  // of the tasks that are parked until a time
  base::TimeNs time_ = 0;
  base::TimeNs alarm_ = base::kForever;
  uint64_t spin_edges_ = 0;  // edges since the running task was last made to fall behind
  uint64_t points_without_progress_ = 0;
  uint64_t edges_without_progress_ = 0;
  Fiber main_;
  bool running_ = false;
  bool abandoned_ = false;
};

}  // namespace nt
