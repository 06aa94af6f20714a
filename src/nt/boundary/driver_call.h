#pragma once

#include <initializer_list>
#include <type_traits>
#include <utility>

#include "base/sanitizer.h"
#include "nt/machine/machine.h"

namespace nt {

// Every call into a driver goes through a DriverCall. While it is open the driver's routine is on the thread's list and
// what the driver obtains belongs to the scope. When it ends, the thread's IRQL, locks and regions must be as before.
class DriverCall {
 public:
  // A user-mode driver uses its thread's own stack, which is large. The stack of a kernel driver is limited, and the
  // driver's routines that a thread has entered and not left share it. Policy: a routine that interrupts a thread (a
  // DPC, an interrupt service routine) has a stack of its own.
  enum class Mode : uint8_t { Kernel, User, Interrupting };

  // `scope` null: what the caller's scope was.
  DriverCall(Machine& machine, const char* routine, Scope* scope = nullptr, Mode mode = Mode::Kernel);
  ~DriverCall();
  DriverCall(const DriverCall&) = delete;
  DriverCall& operator=(const DriverCall&) = delete;

  // What the routine is called with; the values live as long as the driver call. `code` is its address.
  void called_with(CallShape shape, const uint64_t* arguments, uintptr_t code) {
    frame_.shape = shape;
    frame_.arguments = arguments;
    frame_.code = code;
  }
  // For the trace: what the routine is called with, and what it answered.
  void entering(std::initializer_list<uint64_t> arguments);
  void returned(NTSTATUS status) { status_ = status; }
  // The routine is called with a spin lock held. It releases the lock and restores the IRQL itself.
  void hands_over_lock(KIRQL restored) {
    irql_ = frame_.irql = restored;
    --held_;
  }

 private:
  void limit_stack(Mode mode, uintptr_t here);
  void keep_call();
  void check_irql();
  void check_locks();
  void check_regions();

  Machine& machine_;
  Thread& thread_;
  DriverCallFrame frame_;
  Scope* outer_scope_;
  KIRQL irql_;
  size_t held_;
  uint32_t critical_, guarded_;
  uint32_t calls_;  // the kernel's own, which an exception of the driver does not leave
  NTSTATUS status_ = STATUS_SUCCESS;
};

// An argument as the trace may hold it: no raw address.
uint64_t traced_pointer(uintptr_t address);
template <typename T>
uint64_t traced_argument(T argument) {
  if constexpr (std::is_pointer_v<T>) {
    return traced_pointer(reinterpret_cast<uintptr_t>(argument));
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return static_cast<uint64_t>(argument);
  } else {
    return 0;
  }
}

// Calls one routine of a driver.
template <DriverCall::Mode mode = DriverCall::Mode::Kernel, typename R, typename... Params, typename... Args>
R call_driver(Machine& machine, const char* routine, Scope* scope, R (*function)(Params...), Args&&... args) {
  const uint64_t values[sizeof...(Params) + 1] = {raw_argument<std::decay_t<Params>>(args)...};
  DriverCall call(machine, routine, scope, mode);
  call.called_with({kCallShape<Params...>, sizeof...(Params)}, values, reinterpret_cast<uintptr_t>(function));
  if (machine.traces()) call.entering({traced_argument<std::decay_t<Params>>(args)...});
  if constexpr (std::is_void_v<R>) {
    base::watch_races();
    function(std::forward<Args>(args)...);
    base::stop_watching_races();
  } else {
    base::watch_races();
    R result = function(std::forward<Args>(args)...);
    base::stop_watching_races();
    if constexpr (std::is_same_v<R, NTSTATUS>) call.returned(result);
    return result;
  }
}

// Calls a routine of the driver for a function that the same driver has called. A driver call is open already and is
// checked when it returns, so none is opened here. For routines that end at another IRQL than they begin (locks).
template <typename R, typename... Params, typename... Args>
R call_back(R (*function)(Params...), Args&&... args) {
  base::watch_races();
  if constexpr (std::is_void_v<R>) {
    function(std::forward<Args>(args)...);
    base::stop_watching_races();
  } else {
    R result = function(std::forward<Args>(args)...);
    base::stop_watching_races();
    return result;
  }
}

}  // namespace nt
