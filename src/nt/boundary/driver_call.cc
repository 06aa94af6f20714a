#include "nt/boundary/driver_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/mutex.h"
#include "nt/boundary/last_call.h"
#include "nt/ke/irql.h"
#include "nt/machine/edge.h"
#include "nt/mm/address_space.h"

namespace nt {

DriverCall::DriverCall(Machine& machine, const char* routine, Scope* scope, Mode mode)
    : machine_(machine),
      thread_(machine.self()),
      outer_scope_(thread_.scope),
      irql_(thread_.irql),
      held_(thread_.held.size()),
      critical_(thread_.critical_regions),
      guarded_(thread_.guarded_regions),
      calls_(std::exchange(thread_.calls, 0)) {
  CHECK_MSG(!base::holds_any_mutex(), "a driver is called while a mutex is held");
  frame_.name = routine;
  frame_.outer = thread_.driver_call;
  frame_.outer_floor = thread_.stack_floor;
  frame_.irql = irql_;
  limit_stack(mode, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  frame_.outer_left_at = std::exchange(thread_.left_driver_at, 0);
  thread_.driver_call = &frame_;
  if (scope) thread_.scope = scope;
  t_edge.called = true;  // a new call is no part of a loop that the last one was in
}

// What routines of the driver further out have used of this stack is not granted again. Our own frames between them do
// not count.
void DriverCall::limit_stack(Mode mode, uintptr_t here) {
  size_t limit = mode == Mode::User ? 0 : machine_.options().stack_bytes;
  thread_.stack_floor = 0;
  if (limit != 0) {
    const DriverCallFrame* outer = mode == Mode::Kernel ? frame_.outer : nullptr;
    if (outer && outer->stack_base != 0 && thread_.left_driver_at != 0) {
      frame_.stack_used = outer->stack_used + (outer->stack_base - thread_.left_driver_at);
    }
    frame_.stack_base = here;
    thread_.stack_floor = here - (limit - std::min(limit, frame_.stack_used));
  }
  t_edge.stack_floor = thread_.stack_floor;
}

void DriverCall::entering(std::initializer_list<uint64_t> arguments) {
  uint64_t values[4] = {};
  std::copy_n(arguments.begin(), std::min<size_t>(arguments.size(), 4), values);
  machine_.note(trace::DriverCall{.ddi = frame_.name,
                                  .scope = thread_.scope->name(),
                                  .arg0 = values[0],
                                  .arg1 = values[1],
                                  .arg2 = values[2],
                                  .arg3 = values[3]});
}

// An address on a stack depends on the frames of our own code below it, and says nothing about the driver.
uint64_t traced_pointer(uintptr_t address) {
  bool ours = kPoolArena.contains(address) || kRamArena.contains(address) || kRegisterArena.contains(address);
  return ours ? address - kArenaBase : 0;
}

DriverCall::~DriverCall() {
  if (thread_.irql != irql_) check_irql();
  if (thread_.held.size() != held_) check_locks();
  if (thread_.critical_regions != critical_ || thread_.guarded_regions != guarded_) check_regions();
  thread_.calls = calls_;
  thread_.driver_call = frame_.outer;
  thread_.left_driver_at = frame_.outer_left_at;
  keep_call();
  thread_.scope = outer_scope_;
  t_edge.stack_floor = thread_.stack_floor = frame_.outer_floor;
  machine_.note(trace::DriverReturn{.ddi = frame_.name, .scope = thread_.scope->name(), .status = status_});
}

void DriverCall::keep_call() {
  LastCall& last = thread_.last_call;
  last.name = frame_.name;
  last.code = frame_.code;
  last.shape = frame_.shape.first(std::min(frame_.shape.size(), std::size(last.arguments)));
  if (frame_.arguments) std::copy_n(frame_.arguments, last.shape.size(), last.arguments);
  keep_last_call(thread_);
}

void DriverCall::check_irql() {
  machine_.report_violation(
      Violation::IrqlNotRestored,
      fmt::format("{} was called at {} and returned at {}", frame_.name, irql_name(irql_), irql_name(thread_.irql)));
  if (thread_.irql > irql_) {
    machine_.lower_irql(irql_);
  } else {
    machine_.raise_irql(irql_);
  }
}

void DriverCall::check_locks() {
  if (thread_.held.size() > held_) {
    machine_.report_violation(Violation::LockLeftHeld, fmt::format("{} returned with a {} still held", frame_.name,
                                                                   to_string(thread_.held.back().kind)));
  }
}

void DriverCall::check_regions() {
  machine_.report_violation(
      Violation::RegionUnbalanced,
      fmt::format("{} returned with {} critical and {} guarded regions, and was called with {} and {}", frame_.name,
                  thread_.critical_regions, thread_.guarded_regions, critical_, guarded_));
  thread_.critical_regions = critical_;
  thread_.guarded_regions = guarded_;
}

}  // namespace nt
