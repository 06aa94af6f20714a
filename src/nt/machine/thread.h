#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "abi/km/wdm.h"
#include "base/executor.h"
#include "nt/boundary/call_shape.h"
#include "nt/machine/machine_observer.h"
#include "nt/machine/scope.h"

namespace nt {

class Machine;
class Process;
class Thread;

// One thread's place in the queue of one object it waits on. Lives in its Thread; guarded by the dispatcher lock.
struct WaitBlock {
  Thread* thread = nullptr;
  void* object = nullptr;
  WaitBlock* next = nullptr;
  WaitBlock* prev = nullptr;
  uint32_t index = 0;
};

struct HeldLock {
  uintptr_t address;
  LockKind kind;
  bool shared;
};

// Says what the current thread waits for, in words for a report of stuck threads, for as long as this lives. Of several
// the outermost counts. On the waiting thread's stack; read by that thread alone, in a signal handler too.
class [[nodiscard]] WaitingFor {
 public:
  // `what` is never freed: "a mutex of the graphics kernel". `holder`, where it is known, is the task that holds it.
  // A `mutex` knows its holder itself.
  explicit WaitingFor(const char* what, const std::atomic<base::Task*>* holder = nullptr, const KMUTEX* mutex = nullptr,
                      uint32_t ordinal = 0);
  ~WaitingFor();
  WaitingFor(const WaitingFor&) = delete;
  WaitingFor& operator=(const WaitingFor&) = delete;

  const char* what() const { return what_; }
  base::Task* holder() const { return holder_ ? holder_->load(std::memory_order_relaxed) : nullptr; }
  const KMUTEX* mutex() const { return mutex_; }
  uint32_t ordinal() const { return ordinal_; }  // of the object; 0: it has none

 private:
  Thread* thread_;
  const char* what_;
  const std::atomic<base::Task*>* holder_;
  const KMUTEX* mutex_;
  uint32_t ordinal_;
};

// A wait that a client asked for, for as long as this lives. It may last for ever and does not count as stuck.
class [[nodiscard]] UnlimitedWait {
 public:
  UnlimitedWait();
  ~UnlimitedWait();
  UnlimitedWait(const UnlimitedWait&) = delete;
  UnlimitedWait& operator=(const UnlimitedWait&) = delete;

 private:
  Thread* thread_;
};

struct ThreadLook;

// The part of a thread that a driver can have a pointer to (PKTHREAD): at a fixed address, waitable.
struct ThreadBody {
  DISPATCHER_HEADER header;
  Thread* thread;
};

// A call into the driver that has not returned yet; a list from the innermost outward.
struct DriverCallFrame {
  const char* name;  // which routine: "DriverEntry", "DpcRoutine", …
  DriverCallFrame* outer;
  uintptr_t outer_floor;
  CallShape shape = {};                 // the types of its arguments
  const uint64_t* arguments = nullptr;  // the values of its arguments, owned by the caller
  uintptr_t code = 0;                   // the routine's address; 0: not known
  KIRQL irql = PASSIVE_LEVEL;           // what the routine must not lower the IRQL below
  uintptr_t stack_base = 0;             // where its part of the stack begins; 0: the stack is not limited
  size_t stack_used = 0;                // by the driver's routines further out on the same stack
  uintptr_t outer_left_at = 0;
};

// The call into a driver that returned last. The kernel judges its answer right after the return, so a violation found
// then is about this call.
struct LastCall {
  const char* name = nullptr;
  CallShape shape = {};
  uint64_t arguments[6] = {};
  uintptr_t code = 0;
};

// An NT thread. Its own state is touched by itself alone, except the wait fields (dispatcher lock). Owned by the
// machine.
class Thread {
 public:
  Thread(Machine& its_machine, std::string its_name, uint32_t its_ordinal)
      : machine(its_machine), name(std::move(its_name)), ordinal(its_ordinal) {}
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  // The one that runs now; null outside of any machine.
  static Thread* current() {
    base::Task* task = base::Executor::current();
    return task ? static_cast<Thread*>(task->local) : nullptr;
  }

  Machine& machine;
  std::function<void()> body_function;
  const std::string name;
  const uint32_t ordinal;
  std::atomic<base::Task*> task{nullptr};  // set by its creator or by itself, by the first of the two
  ThreadBody* body = nullptr;

  KIRQL irql = PASSIVE_LEVEL;
  KPRIORITY priority = 8;
  uint32_t critical_regions = 0;  // normal kernel APCs disabled
  uint32_t guarded_regions = 0;   // all APCs disabled
  bool delivering = false;        // an interrupt or DPC is being delivered on this thread's stack
  bool system = false;            // made by PsCreateSystemThread: belongs to a driver
  bool housekeeping = false;      // the machine's own: reports leave it out
  bool visitor = false;           // a client's own thread, attached for its calls
  bool last = false;              // an idle thread or the clock: the others need it until they have ended
  std::atomic<bool> terminated{false};
  Process* process = nullptr;  // the program that it runs in now; null: the system

  Scope* scope = nullptr;                  // the scope of what the driver obtains now
  DriverCallFrame* driver_call = nullptr;  // innermost call into a driver
  LastCall last_call;
  uintptr_t stack_floor = 0;     // how deep the innermost call may use the stack
  uintptr_t left_driver_at = 0;  // where on the stack the driver called the kernel; 0: it is in its own code
  DRYDOCK_SEH_FRAME* seh = nullptr;
  void* exit_jump = nullptr;  // where a system thread that ends itself goes
  EXCEPTION_RECORD exception{};
  EXCEPTION_POINTERS exception_pointers{};
  uint32_t calls = 0;      // calls into the kernel that have not returned; only kept where races are watched
  KAFFINITY affinity = 0;  // processors it is bound to; 0: any
  std::vector<HeldLock> held;
  HeldLock wanted{};                  // the lock that it waits for; address 0: none
  void* port_context = nullptr;       // what a port driver (the graphics kernel) keeps about the call in progress
  void* streaming_context = nullptr;  // the same for the AVStream class

  // Waiting. Guarded by the dispatcher lock.
  static constexpr uint32_t kMaxWaits = 64;
  std::vector<WaitBlock> wait_blocks;
  bool waiting = false;
  bool wait_all = false;
  NTSTATUS wait_status = STATUS_SUCCESS;

  // For the search for stuck threads with the LiveExecutor (stuck_watch.h). The two counters are incremented at a
  // beginning and at an end: odd means in between.
  void begin_work() { work.store(work.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  void end_work() { begin_work(); }
  std::atomic<uint32_t> work{0};       // a client's call, a command of the host
  std::atomic<uint32_t> raised{0};     // at DISPATCH_LEVEL or above
  std::atomic<uint32_t> unlimited{0};  // waits that a client asked for
  std::atomic<const WaitingFor*> waiting_for{nullptr};
  std::atomic<ThreadLook*> look{nullptr};  // to be filled in, when a signal asks for it
};

// The thread does one piece of work for as long as this lives. A piece of work that does not end is stuck.
class [[nodiscard]] Work {
 public:
  explicit Work(Thread& thread) : thread_(thread) { thread_.begin_work(); }
  ~Work() { thread_.end_work(); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

 private:
  Thread& thread_;
};

inline WaitingFor::WaitingFor(const char* what, const std::atomic<base::Task*>* holder, const KMUTEX* mutex,
                              uint32_t ordinal)
    : thread_(Thread::current()), what_(what), holder_(holder), mutex_(mutex), ordinal_(ordinal) {
  if (!thread_ || thread_->waiting_for.load(std::memory_order_relaxed)) {
    thread_ = nullptr;
  } else {
    thread_->waiting_for.store(this, std::memory_order_release);
  }
}

inline WaitingFor::~WaitingFor() {
  if (thread_) thread_->waiting_for.store(nullptr, std::memory_order_release);
}

inline UnlimitedWait::UnlimitedWait() : thread_(Thread::current()) {
  if (thread_) thread_->unlimited.fetch_add(1, std::memory_order_relaxed);
}

inline UnlimitedWait::~UnlimitedWait() {
  if (thread_) thread_->unlimited.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace nt
