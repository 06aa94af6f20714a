#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "abi/km/wdm.h"
#include "base/executor.h"
#include "nt/call_shape.h"
#include "nt/probe.h"
#include "nt/scope.h"

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

// The part of a thread that its driver can hold a pointer to (PKTHREAD): at a fixed address, waitable.
struct ThreadBody {
  DISPATCHER_HEADER header;
  Thread* thread;
};

// A call into the driver that has not returned yet; a list from the innermost outward.
struct DoorFrame {
  const char* name;  // which routine: "DriverEntry", "DpcRoutine", …
  DoorFrame* outer;
  uintptr_t outer_floor;
  CallShape shape = {};                 // what it was called with: types
  const uint64_t* arguments = nullptr;  // … and values, which its caller keeps
  uintptr_t code = 0;                   // the routine's address; 0: not known
};

// The call into a driver that returned last: what the kernel finds wrong with an answer, it finds just after.
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
  std::atomic<base::Task*> task{nullptr};  // set by whoever is first, its maker or itself
  ThreadBody* body = nullptr;

  KIRQL irql = PASSIVE_LEVEL;
  KPRIORITY priority = 8;
  uint32_t critical_regions = 0;  // normal kernel APCs disabled
  uint32_t guarded_regions = 0;   // all APCs disabled
  bool delivering = false;        // an interrupt or DPC is being delivered on this thread's stack
  bool system = false;            // made by PsCreateSystemThread: belongs to a driver
  bool housekeeping = false;      // the machine's own: reports leave it out
  bool terminated = false;
  Process* process = nullptr;  // the program that it runs in now; null: the system

  Scope* scope = nullptr;     // where what the driver obtains now belongs
  DoorFrame* door = nullptr;  // innermost call into a driver
  LastCall last_call;
  uintptr_t stack_floor = 0;  // how deep the innermost call may use the stack
  DRYDOCK_SEH_FRAME* seh = nullptr;
  void* exit_jump = nullptr;  // where a system thread that ends itself goes
  EXCEPTION_RECORD exception{};
  EXCEPTION_POINTERS exception_pointers{};
  uint32_t calls = 0;      // calls into the kernel that have not returned; only kept where races are watched
  KAFFINITY affinity = 0;  // processors it is bound to; 0: any
  std::vector<HeldLock> held;
  void* port_context = nullptr;       // what a port driver (the graphics kernel) keeps about the call in progress
  void* streaming_context = nullptr;  // the same for the AVStream class

  // Waiting. Guarded by the dispatcher lock.
  static constexpr uint32_t kMaxWaits = 64;
  std::vector<WaitBlock> wait_blocks;
  bool waiting = false;
  bool wait_all = false;
  NTSTATUS wait_status = STATUS_SUCCESS;
};

}  // namespace nt
