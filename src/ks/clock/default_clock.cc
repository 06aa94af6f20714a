#include "ks/clock/default_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "ks/device/system.h"
#include "nt/boundary/address_check.h"
#include "nt/boundary/kernel_code.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/dpc_queues.h"
#include "nt/ke/timers.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

using Guard = base::Guard<base::LockRank::Adapter>;

template <typename T>
T* in_machine(nt::Machine& machine) {
  void* memory = machine.pool().allocate(sizeof(T), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  return static_cast<T*>(memory);
}

LONGLONG machine_time(nt::Machine& machine) { return static_cast<LONGLONG>(machine.executor().now() / 100); }

}  // namespace

DefaultClock* DefaultClock::make(System& system, Source source) {
  void* memory = system.machine().pool().allocate(sizeof(DefaultClock), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  return memory ? new (memory) DefaultClock(system, std::move(source)) : nullptr;
}

DefaultClock* DefaultClock::find(nt::Machine& machine, PKSDEFAULTCLOCK handle, const char* by) {
  auto* clock = static_cast<DefaultClock*>(handle);
  bool known = handle && nt::is_address_valid(machine, reinterpret_cast<uintptr_t>(handle));
  if (known && clock->signature_ == kSignature) return clock;
  machine.report_violation(nt::Violation::NotInitialised,
                           fmt::format("{} was given something that is no default clock", by));
  return nullptr;
}

DefaultClock::DefaultClock(System& system, Source source)
    : machine_(system.machine()),
      source_(std::move(source)),
      events_(system),
      timer_(in_machine<KTIMER>(machine_)),
      dpc_(in_machine<KDPC>(machine_)) {
  machine_.dispatcher().initialise(timer_, sizeof(*timer_), nt::ObjectType::NotificationTimer, 0);
  KeInitializeDpc(dpc_, &DefaultClock::expired, this);
}

DefaultClock::~DefaultClock() {
  signature_ = 0;
  if (source_.cancel_timer) source_.cancel_timer(timer_);
  machine_.timers().cancel(*timer_);
  machine_.dpcs().remove(*dpc_);
  machine_.dpcs().flush();
  machine_.pool().free(timer_, 0);
  machine_.pool().free(dpc_, 0);
}

void DefaultClock::release() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  nt::Machine& machine = machine_;
  this->~DefaultClock();
  machine.pool().free(this, 0);
}

LONGLONG DefaultClock::now_locked(LONGLONG system_time) const {
  return state_ == KSSTATE_RUN ? base_ + (system_time - since_) : base_;
}

LONGLONG DefaultClock::time() {
  LONGLONG system_time;
  return correlated_time(&system_time);
}

LONGLONG DefaultClock::correlated_time(LONGLONG* system_time) {
  *system_time = machine_time(machine_);
  if (source_.correlated) return source_.correlated(system_time);
  Guard guard(lock_);
  return now_locked(*system_time);
}

// No page lets a driver provide the physical time: it is the machine's.
LONGLONG DefaultClock::physical_time() { return machine_time(machine_); }

LONGLONG DefaultClock::correlated_physical_time(LONGLONG* system_time) {
  *system_time = machine_time(machine_);
  return *system_time;
}

KSRESOLUTION DefaultClock::resolution() {
  KSRESOLUTION answer{1, 0};
  if (source_.resolution) source_.resolution(&answer);
  return answer;
}

KSSTATE DefaultClock::state() {
  Guard guard(lock_);
  return state_;
}

void DefaultClock::set_state(KSSTATE to) {
  {
    Guard guard(lock_);
    LONGLONG system_time = machine_time(machine_);
    base_ = to == KSSTATE_STOP ? 0 : now_locked(system_time);
    since_ = system_time;
    state_ = to;
  }
  rearm();
}

void DefaultClock::set_time(LONGLONG time) {
  {
    Guard guard(lock_);
    base_ = time;
    since_ = machine_time(machine_);
  }
  rearm();
}

// --- Marks ---

void DefaultClock::rearm() {
  LONGLONG first = kNeverDue;
  events_.each([&](KSEVENT_ENTRY& entry) {
    first = std::min(first, mark_of(entry).time);
    return false;
  });
  if (first == kNeverDue || state() != KSSTATE_RUN) {
    if (source_.cancel_timer) return source_.cancel_timer(timer_);
    machine_.timers().cancel(*timer_);
    return;
  }
  LARGE_INTEGER due;
  due.QuadPart = -std::max<LONGLONG>(first - time(), 1);
  if (source_.set_timer) return source_.set_timer(timer_, due, dpc_);
  machine_.timers().set(*timer_, machine_.timers().deadline_of(due), 0, dpc_);
}

void DefaultClock::expired(KDPC*, void* clock, void*, void*) {
  nt::KernelCode code;
  static_cast<DefaultClock*>(clock)->tell_marks();
}

void DefaultClock::tell_marks() {
  LONGLONG now = time();
  events_.each([now](KSEVENT_ENTRY& entry) {
    ClockMark& mark = mark_of(entry);
    if (mark.time > now) return false;
    // Marks that were missed are signalled once.
    mark.time = mark.interval > 0 ? mark.time + ((now - mark.time) / mark.interval + 1) * mark.interval : kNeverDue;
    return true;
  });
  rearm();
}

}  // namespace ks
