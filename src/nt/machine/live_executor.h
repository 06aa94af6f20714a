#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/debug/stack.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/rng.h"

namespace nt {

// The executor of real clients and benchmarks. Tasks are OS threads, time is the system's monotonic clock since
// construction, and the system chooses which task runs. Any thread may call it; park, pin, unpin, bind, processor
// and choose belong to tasks: a thread that spawn() made, or one of the client's own for as long as it is attached.
//
// Starting. A new task may run, and even end, before spawn() returns. What its entry needs comes through `arg`; the
// entry itself sets `local`.
//
// Ending. The executor owns every Task until it is destroyed, so an unpark that comes too late touches memory that is
// still there. join_except() and the destructor join the threads it made: they have ended by then, or what they are
// parked for has been done and they are on their way out. Clients' threads have detached before the destructor.
//
// Permits. unpark() gives a permit and park() takes it, as in SimulatedExecutor: one given early is kept, two are one,
// and a permit wins over a deadline that has passed too. What the giver wrote before is seen by the taker.
//
// Processors. A processor is a token, held from pin() to unpin(): at most `processors` tasks run raised code at once.
// A task takes the one it had last if that is free. Waiting for one is not fair, as spin locks are not.
class LiveExecutor final : public base::Executor {
  struct LiveTask;

 public:
  struct Options {
    uint32_t processors = 2;
    uint64_t seed = 0;
  };

  // Makes the calling OS thread a task until it goes out of scope, on that thread.
  class [[nodiscard]] Attached {
   public:
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;
    ~Attached();

    base::Task& task();

   private:
    friend class LiveExecutor;
    Attached(LiveExecutor& live, LiveTask& task);

    LiveExecutor& live_;
    LiveTask& task_;
  };

  explicit LiveExecutor(const Options& options);
  ~LiveExecutor() override;
  LiveExecutor(const LiveExecutor&) = delete;
  LiveExecutor& operator=(const LiveExecutor&) = delete;

  // A task that was detached is taken again for the next thread of that name: clients may attach for each call.
  Attached attach(const std::string& name);

  base::Task& spawn(std::string name, void (*entry)(void*), void* arg, uint32_t processor) override;
  base::Wake park(base::TimeNs deadline, base::Point point) override;
  void unpark(base::Task& task) override;
  void yield(base::Point) override {}  // real threads are preempted anywhere as it is
  void pin() override;
  void unpin() override;
  void bind(uint32_t processor) override;
  uint32_t processor() override;  // the token held, else the last one
  uint32_t processor_count() const override { return options_.processors; }
  base::TimeNs now() override;
  void stall(base::TimeNs duration) override;
  uint64_t choose(uint64_t below) override;

  // Returns when every thread that spawn() made has ended, those of `others` excepted. On a task or on any thread.
  void join_except(const std::vector<base::Task*>& others);
  // Sends kLookSignal to the threads of these tasks, as far as they have not ended.
  void ask(const std::vector<base::Task*>& tasks);
  // The signal by which a thread is asked where it is (stuck_watch.h). Ignored by default: one that comes too late does
  // no harm. Threads that spawn() made take it; others do from accept_looks() on, if they do not already.
  static constexpr int kLookSignal = SIGURG;
  static void accept_looks();

  // The calling OS thread's stack, for captures. In a signal handler too, on a task.
  static base::StackBounds current_stack();

 private:
  // What a task's futex word says.
  enum Permit : uint32_t { kNone, kGiven, kParked };

  // Touched by its own thread alone, except the atomics and what is said to be under the lock.
  struct LiveTask final : base::Task {
    LiveTask(std::string name, uint32_t ordinal, LiveExecutor& owner);
    void bind(uint32_t home);

    LiveExecutor& owner;
    uint64_t allowed;  // which processors it may pin
    uint32_t processor;
    bool pinned = false;
    base::Rng rng;
    void (*entry)(void*) = nullptr;
    void* arg = nullptr;
    pthread_t thread{};              // set before it is in unjoined_, or when it is attached
    bool attached = false;           // under the lock
    std::atomic<uint32_t> ended{0};  // futex word. 1: only its way out of the thread is left
    std::atomic<uint32_t> permit{kNone};
  };

  // The free processors, as a bit each, and the number of tasks that wait for one. Any thread.
  class Tokens {
   public:
    explicit Tokens(uint64_t all) : free_(all) {}

    // One of `allowed`, `preferred` if possible; blocks the OS thread while there is none.
    uint32_t take(uint64_t allowed, uint32_t preferred);
    void give(uint32_t token);

   private:
    static constexpr uint32_t kNoToken = ~uint32_t{0};
    uint32_t try_take(uint64_t allowed, uint32_t preferred);
    uint32_t wait_and_take(uint64_t allowed, uint32_t preferred);

    std::atomic<uint64_t> free_;
    std::atomic<uint32_t> waiters_{0};
    std::atomic<uint32_t> given_{0};  // futex word: counts the processors given back while a task waited
  };

  static void* thread_main(void* raw);
  LiveTask& me();
  LiveTask& make_task_locked(std::string name) REQUIRES(lock_);
  LiveTask& task_for_client(const std::string& name);
  void detach(LiveTask& task);
  void join_ended();

  const Options options_;
  const base::TimeNs start_;
  alignas(64) Tokens tokens_;  // a line of its own: the clock's start is read far more often
  alignas(64) base::Mutex<base::LockRank::Dispatcher> lock_;
  std::deque<std::unique_ptr<LiveTask>> tasks_ GUARDED_BY(lock_);
  std::vector<LiveTask*> unjoined_ GUARDED_BY(lock_);  // spawned ones whose thread has not been joined
  std::vector<LiveTask*> detached_ GUARDED_BY(lock_);  // clients' ones that no thread is attached to
  uint32_t attached_ GUARDED_BY(lock_) = 0;
};

}  // namespace nt
