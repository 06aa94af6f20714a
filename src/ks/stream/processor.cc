#include "ks/stream/processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ks/exports/callback.h"
#include "ks/object/filter.h"
#include "ks/pin/pin.h"
#include "ks/pin/pin_process.h"
#include "ks/stream/filter_process.h"
#include "ks/stream/process_loop.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

// How long frames must have waited in RUN before it counts as a stall. A driver whose hardware uses a frame holds it
// with a clone, and a driver that works uses the queue many times in this time. Ours.
constexpr base::TimeNs kStallNs = 2'000'000'000;

// An open gate with no inputs (KsGateInitializeAnd).
KSGATE* make_gate(nt::Machine& machine) {
  void* memory = machine.pool().allocate(sizeof(KSGATE), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  auto* gate = static_cast<KSGATE*>(memory);
  KsGateInitializeAnd(gate, nullptr);
  return gate;
}

// The flags for work items have the same values for pins and filters.
static_assert(KSPIN_FLAG_DISPATCH_LEVEL_PROCESSING == KSFILTER_FLAG_DISPATCH_LEVEL_PROCESSING);
static_assert(KSPIN_FLAG_CRITICAL_PROCESSING == KSFILTER_FLAG_CRITICAL_PROCESSING);
static_assert(KSPIN_FLAG_HYPERCRITICAL_PROCESSING == KSFILTER_FLAG_HYPERCRITICAL_PROCESSING);

WORK_QUEUE_TYPE queue_of(ULONG flags) {
  if (flags & KSPIN_FLAG_HYPERCRITICAL_PROCESSING) return HyperCriticalWorkQueue;
  return flags & KSPIN_FLAG_CRITICAL_PROCESSING ? CriticalWorkQueue : DelayedWorkQueue;
}

}  // namespace

// Of a pin: `pin` and `pin_process`. Of a filter: `filter` and `filter_process`.
struct Processor::Impl {
  Impl(nt::Machine& its_machine, Pin& its_pin, KSGATE& gate, ControlMutex& mutex)
      : machine(its_machine), pin(&its_pin), name(its_pin.name()) {
    pin_process.emplace(machine, *its_pin, its_pin.queue(), &its_pin.scope());
    loop.emplace(machine, *pin_process, gate, mutex, name);
  }
  Impl(nt::Machine& its_machine, Filter& its_filter, KSGATE& gate, ControlMutex& mutex)
      : machine(its_machine), filter(&its_filter), name(its_filter.name()) {
    filter_process.emplace(FilterProcess::Site{machine, *its_filter, &its_filter.scope(), name}, gate);
    loop.emplace(machine, *filter_process, gate, mutex, name);
  }

  ProcessLoop::Work& work() { return pin_process ? static_cast<ProcessLoop::Work&>(*pin_process) : *filter_process; }
  ULONG flags() const { return pin ? pin->descriptor().Flags : filter->descriptor().Flags; }
  // `by`: the pin whose frame or state it was; a driver that attempts names none.
  ProcessLoop::Manner manner(const Pin* by, bool asynchronous) const {
    const Pin* asker = pin ? pin : by;
    return {.dispatch = (flags() & KSPIN_FLAG_DISPATCH_LEVEL_PROCESSING) != 0,
            .asynchronous = asynchronous || (asker && asker->has_flag(KSPIN_FLAG_ASYNCHRONOUS_PROCESSING)),
            .queue = queue_of(flags())};
  }
  void refresh_factories() {
    std::vector<const KSPIN_DESCRIPTOR_EX*> descriptors;
    for (const auto& factory : filter->pin_factories()) descriptors.push_back(factory->descriptor);
    filter_process->set_factories(descriptors);
  }

  nt::Machine& machine;
  Pin* const pin = nullptr;
  Filter* const filter = nullptr;
  const std::string name;
  std::optional<PinProcess> pin_process;
  std::optional<FilterProcess> filter_process;
  std::optional<ProcessLoop> loop;
  base::TimeNs running_since = 0;  // when a pin of it went to RUN
  PFNKSPINPOWER pin_sleep = nullptr, pin_wake = nullptr;
};

Processor::Processor(Pin& pin)
    : machine_(pin.machine()),
      gate_(make_gate(machine_)),
      mutex_(machine_),
      impl_(std::make_unique<Impl>(machine_, pin, *gate_, mutex_)) {}

Processor::Processor(Filter& filter)
    : machine_(filter.machine()),
      gate_(make_gate(machine_)),
      mutex_(machine_),
      impl_(std::make_unique<Impl>(machine_, filter, *gate_, mutex_)) {
  impl_->refresh_factories();
}

Processor::~Processor() {
  impl_.reset();
  machine_.pool().free(gate_, 0);
}

void Processor::hold() {
  mutex_.acquire();
  // Process at DISPATCH_LEVEL does not wait for a mutex.
  hold_suspends_ = impl_->manner(nullptr, false).dispatch;
  if (hold_suspends_) suspend();
}

void Processor::let_go() {
  bool suspends = std::exchange(hold_suspends_, false);
  mutex_.release();
  if (suspends) resume();
}

void Processor::frame_arrived(Pin& pin, bool first) {
  impl_->pin_process ? impl_->pin_process->count_arrival() : impl_->filter_process->count_arrival();
  ULONG flags = pin.descriptor().Flags;
  if (flags & KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING) return;
  if (!first && !(flags & KSPIN_FLAG_INITIATE_PROCESSING_ON_EVERY_ARRIVAL)) return;
  impl_->loop->trigger(impl_->manner(&pin, false));
}

void Processor::attempt(bool asynchronous) { impl_->loop->trigger(impl_->manner(nullptr, asynchronous)); }

void Processor::pin_state_changed(Pin& pin) {
  KSSTATE state = pin.state();
  if (state == KSSTATE_RUN) impl_->running_since = machine_.executor().now();
  bool active = state >= minimum_processing_state(pin.descriptor().Flags);
  if (impl_->pin_process) {
    bool was = impl_->pin_process->active();
    impl_->pin_process->set_active(active);
    if (was || !active) return;
  } else {
    // Pin factories that the driver made meanwhile have their places in the index by the time a pin moves.
    if (impl_->filter_process->factories() != impl_->filter->pin_factories().size()) {
      suspend();
      impl_->refresh_factories();
      resume();
    }
    impl_->filter_process->set_state(*pin, state);
    // A pin that stops may be the one that the others waited for.
    if (!active && state != KSSTATE_STOP) return;
  }
  if (!pin.has_flag(KSPIN_FLAG_DO_NOT_INITIATE_PROCESSING)) impl_->loop->trigger(impl_->manner(&pin, false));
}

void Processor::suspend() { impl_->loop->suspend(); }

void Processor::resume() { impl_->loop->resume(); }

// A pin leaves RUN with frames that were not taken, Process had returned PENDING, and processing was not attempted
// since: the pin never got its trigger ("Restarting Processing in AVStream"). Not reported when anything was done with
// the frames since, when a clone holds one (it waits for hardware), when the driver shut its gate, and when it was not
// for long. Ours.
void Processor::audit_stall(const char* when) {
  suspend();
  ProcessLoop::Waiting waiting = impl_->loop->waiting();
  ProcessLoop::Work& work = impl_->work();
  base::TimeNs since = std::max(waiting.since, impl_->running_since);
  base::TimeNs now = machine_.executor().now();
  if (waiting.waits && now - since >= kStallNs && work.progress() == waiting.progress && work.ready() &&
      !work.cloned() && KsGateGetStateUnsafe(gate_)) {
    machine_.report_violation(
        nt::Violation::KsStall,
        fmt::format("{}: frames wait at {} since Process returned STATUS_PENDING {} ms ago, and nothing has "
                    "attempted to process them again",
                    when, impl_->name, (now - since) / 1'000'000));
  }
  resume();
}

void Processor::pin_added(Pin& pin) {
  if (!impl_->filter_process) return;
  suspend();
  impl_->refresh_factories();
  impl_->filter_process->add({*pin, pin.queue(), pin.name()});
  resume();
}

void Processor::pin_removed(Pin& pin) {
  if (!impl_->filter_process || !impl_->filter_process->knows(*pin)) return;
  suspend();
  impl_->filter_process->remove(*pin);
  resume();
}

void Processor::attach_gate(Pin& pin, KSGATE* gate, GateKind kind) {
  CHECK(impl_->filter_process);
  suspend();
  impl_->filter_process->attach(*pin, gate, kind);
  resume();
}

bool Processor::update(KSPROCESSPIN& pin) { return impl_->filter_process && impl_->filter_process->update(pin); }

void Processor::register_power(PFNKSPINPOWER sleep, PFNKSPINPOWER wake) {
  impl_->pin_sleep = sleep;
  impl_->pin_wake = wake;
}

// "AVStream also acquires the processing mutex during other operations including […] sleep or wake power operations."
void Processor::tell_power(DEVICE_POWER_STATE state, bool sleep) {
  PFNKSPINPOWER routine = sleep ? impl_->pin_sleep : impl_->pin_wake;
  if (!routine) return;
  Holding holding(mutex_);
  call(machine_, Ddi::PinPower, &impl_->pin->scope(), routine, &**impl_->pin, state);
}

}  // namespace ks
