#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "abi/km/wdm.h"
#include "base/debug/stack.h"
#include "trace/event.h"

// What the machine reports to its observer, and what it asks it. The verifier is the observer; nt knows only this
// interface.
namespace nt {

enum class Violation : uint16_t {
#define VIOLATION(name) name,
#include "nt/machine/violations.def"
#undef VIOLATION
};
inline constexpr size_t kViolationCount = 0
#define VIOLATION(name) +1
#include "nt/machine/violations.def"
#undef VIOLATION
    ;
const char* to_string(Violation what);

// A stack that belongs to a finding, and what it shows: "allocated", "freed", "waits", …
struct RoleStack {
  std::string role;
  base::Stack stack;
};

// The object that a violation is about, as the trace names it. Kind None: none in particular.
struct Subject {
  trace::ObjectKind kind = trace::ObjectKind::None;
  uint32_t ordinal = 0;
};

// One broken rule, as the machine saw it.
struct ViolationReport {
  Violation what;
  std::string sentence;           // what happened, in one sentence
  std::vector<RoleStack> stacks;  // the place it happened first
  std::string thread;             // name of the thread
  uint32_t thread_ordinal = 0;
  uint8_t irql = 0;
  std::string in_call = {};  // the driver's routine that was running, or empty
  std::string call = {};     // that routine with its arguments
  uintptr_t routine = 0;     // its address, or that of the one that returned last; 0: none
  Subject subject = {};
  std::vector<std::string> history = {};  // where the run is traced: of the subject or, without one, of the thread
};

enum class LockKind : uint8_t {
  Spin,
  QueuedSpin,
  SharedSpin,
  Interrupt,
  FastMutex,
  GuardedMutex,
  Mutex,
  Resource,
  PushLock
};
const char* to_string(LockKind kind);

struct LockEvent {
  uintptr_t address;
  LockKind kind;
  bool shared;
  uint32_t thread;
  const base::Stack* stack;  // where it happens
};

// What can be made to fail on purpose.
enum class FaultKind : uint8_t {
  Pool,       // memory that a driver asks for
  Mapping,    // of registers, of an MDL, of contiguous memory
  Ddi,        // a driver's own function: it is not called, and its caller sees a failure
  Callback,   // a function that the graphics kernel, the runtime or the class gives to a driver
  ClientCopy  // reading or writing a client's memory
};
const char* to_string(FaultKind kind);

struct FaultSite {
  FaultKind kind;
  const char* what;  // the function
  uint32_t stack;    // StackId
};

struct BugCheck {
  uint32_t code;
  uint64_t parameters[4];
};

enum class Then : uint8_t { GoOn, Stop };

// Installed on a machine. The default ignores everything, and goes on after every violation that can be survived.
class MachineObserver {
 public:
  virtual ~MachineObserver() = default;

  // Questions.
  virtual Then report_violation(const ViolationReport&) { return Then::Stop; }
  virtual bool wants_faults() const { return false; }  // whether fails() is asked at all
  virtual bool fails(const FaultSite&) { return false; }

  // Notifications.
  virtual bool wants_locks() const { return false; }
  virtual void lock_acquiring(const LockEvent&) {}
  virtual void lock_released(const LockEvent&) {}
  virtual void memory_gone(uintptr_t /*lo*/, uintptr_t /*hi*/) {}
  virtual void debug_print(std::string_view /*text*/) {}
};

}  // namespace nt
