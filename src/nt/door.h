#pragma once

#include <initializer_list>
#include <type_traits>
#include <utility>

#include "base/sanitizer.h"
#include "nt/machine.h"

namespace nt {

// The one way into a driver. While a Door is open the driver has control: its routine is on the thread's list, what it
// obtains belongs to the scope, and when it returns, its IRQL, locks and regions must be what they were.
class Door {
 public:
  // A driver of user mode has its thread's own stack, which is large; a kernel driver's is not.
  enum class Mode : uint8_t { Kernel, User };

  // `scope` null: what the caller's scope was.
  Door(Machine& machine, const char* routine, Scope* scope = nullptr, Mode mode = Mode::Kernel);
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  // What the routine is called with; the values live as long as the door. `code` is its address.
  void called_with(CallShape shape, const uint64_t* arguments, uintptr_t code) {
    frame_.shape = shape;
    frame_.arguments = arguments;
    frame_.code = code;
  }
  // For the trace: what the routine is called with, and what it answered.
  void entering(std::initializer_list<uint64_t> arguments);
  void returned(NTSTATUS status) { status_ = status; }
  // The routine is called with a spin lock held that it gives back itself, and with it the IRQL.
  void hands_over_lock(KIRQL restored) {
    irql_ = restored;
    --held_;
  }

 private:
  void keep_call();
  void check_irql();
  void check_locks();
  void check_regions();

  Machine& machine_;
  Thread& thread_;
  DoorFrame frame_;
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
template <Door::Mode mode = Door::Mode::Kernel, typename R, typename... Params, typename... Args>
R call_driver(Machine& machine, const char* routine, Scope* scope, R (*function)(Params...), Args&&... args) {
  const uint64_t values[sizeof...(Params) + 1] = {raw_argument<std::decay_t<Params>>(args)...};
  Door door(machine, routine, scope, mode);
  door.called_with({kCallShape<Params...>, sizeof...(Params)}, values, reinterpret_cast<uintptr_t>(function));
  if (machine.traces()) door.entering({traced_argument<std::decay_t<Params>>(args)...});
  if constexpr (std::is_void_v<R>) {
    base::watch_races();
    function(std::forward<Args>(args)...);
    base::stop_watching_races();
  } else {
    base::watch_races();
    R result = function(std::forward<Args>(args)...);
    base::stop_watching_races();
    if constexpr (std::is_same_v<R, NTSTATUS>) door.returned(result);
    return result;
  }
}

// Calls a routine of the driver for a function that the same driver has called: it is inside of its door already, which
// judges it when it leaves. For routines that end at another IRQL than they begin (locks).
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
