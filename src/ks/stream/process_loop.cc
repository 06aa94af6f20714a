#include "ks/stream/process_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "nt/ex/work_queues.h"

namespace ks {
namespace {

// Calls that return STATUS_SUCCESS, do nothing, and see no frame come: the first may have met an empty queue, as a
// frame can be cancelled just before the driver looks. Ours.
constexpr uint32_t kIdleCalls = 2;

}  // namespace

ProcessLoop::ProcessLoop(nt::Machine& machine, Work& work, KSGATE& gate, ControlMutex& mutex, std::string name)
    : machine_(machine), work_(work), gate_(gate), mutex_(mutex), name_(std::move(name)) {
  input_.attach(gate_, GateKind::And, false);
}

ProcessLoop::~ProcessLoop() { suspend(); }

void ProcessLoop::trigger(const Manner& manner) {
  nt::Thread& self = machine_.self();
  // A thread that holds the processing mutex leaves it to a worker: the mutex is not taken twice ("Processing Mutex in
  // AVStream"), and Process would otherwise run in the middle of what the mutex protects.
  bool here = !manner.asynchronous && self.irql <= (manner.dispatch ? DISPATCH_LEVEL : PASSIVE_LEVEL) &&
              (self.irql == DISPATCH_LEVEL || !mutex_.held());
  Nest* nest = here && !manner.dispatch ? static_cast<Nest*>(self.streaming_context) : nullptr;
  {
    base::Guard guard(lock_);
    waiting_.waits = false;
    manner_ = manner;
    if (suspended_ || runner_) {
      // The thread that runs Process is at the right IRQL already, so only an asynchronous trigger needs a work item.
      if (again_ != Again::Here) again_ = manner.asynchronous ? Again::Later : Again::Here;
      return;
    }
    if (here && !nest) {
      runner_ = &self;
    } else if (queued_) {
      return;
    } else {
      queued_ = true;
    }
  }
  if (nest) {
    nest->triggered.push_back(this);
  } else if (here) {
    run(manner);
  } else {
    queue_work(manner.queue);
  }
}

void ProcessLoop::queue_work(WORK_QUEUE_TYPE queue) {
  machine_.work_queues().queue({.address = &gate_, .call = [this] { work_item(); }}, queue);
}

void ProcessLoop::work_item() {
  Manner manner{};
  bool mine;
  std::vector<base::Task*> waiters;
  base::Executor& executor = machine_.executor();
  {
    base::Guard guard(lock_);
    queued_ = false;
    manner = manner_;
    mine = !suspended_ && !runner_;
    if (mine) {
      runner_ = &machine_.self();
    } else {
      again_ = Again::Here;
      if (!runner_) waiters.swap(waiters_);
    }
  }
  // From here on `this` may be gone unless the loop is this thread's.
  if (mine) {
    run(manner);
  } else {
    for (base::Task* task : waiters) executor.unpark(*task);
  }
}

void ProcessLoop::run(Manner manner) {
  base::Executor& executor = machine_.executor();
  for (;;) {
    run_rounds(manner);
    std::vector<base::Task*> waiters;
    bool later = false;
    {
      base::Guard guard(lock_);
      manner = manner_;
      if (!suspended_ && again_ == Again::Here) {
        again_ = Again::No;
        continue;
      }
      if (!suspended_ && again_ == Again::Later) {
        again_ = Again::No;
        later = !queued_;
        queued_ = true;
      }
      runner_ = nullptr;
      if (!queued_) waiters.swap(waiters_);
    }
    // The owner may destroy this loop from here on, unless a work item is queued. Members are used only if one is.
    if (later) queue_work(manner.queue);
    for (base::Task* task : waiters) executor.unpark(*task);
    return;
  }
}

bool ProcessLoop::suspended() {
  base::Guard guard(lock_);
  if (suspended_) again_ = Again::Here;
  return suspended_ != 0;
}

void ProcessLoop::run_rounds(const Manner& manner) {
  while (!suspended()) {
    input_.set(work_.ready());
    if (!gate_judged_) gate_judged_ = !judge_gate(machine_, gate_, GateKind::And, name_);
    // What the driver's own inputs say is decided here, at once and for all: the gate is shut while Process runs.
    if (!KsGateCaptureThreshold(&gate_)) return;
    uint64_t progress = work_.progress();
    uint64_t arrivals = work_.arrivals();
    Outcome outcome = run_once(manner);
    KsGateTurnInputOn(&gate_);
    if (outcome == Outcome::More && stuck(progress, arrivals)) outcome = Outcome::Wait;
    if (outcome == Outcome::Wait) {
      note_waiting();
      return;
    }
  }
}

ProcessLoop::Outcome ProcessLoop::run_once(const Manner& manner) {
  calls_.fetch_add(1, std::memory_order_relaxed);
  if (!manner.dispatch) return run_under_mutex();
  KIRQL before = machine_.self().irql;
  if (before < DISPATCH_LEVEL) machine_.raise_irql(DISPATCH_LEVEL);
  Outcome outcome = work_.run();
  if (before < DISPATCH_LEVEL) machine_.lower_irql(before);
  return outcome;
}

ProcessLoop::Outcome ProcessLoop::run_under_mutex() {
  Nest nest;
  nt::Thread& self = machine_.self();
  Outcome outcome;
  {
    Holding holding(mutex_);
    void* outer = std::exchange(self.streaming_context, &nest);
    outcome = work_.run();
    self.streaming_context = outer;
  }
  for (ProcessLoop* other : nest.triggered) other->work_item();
  return outcome;
}

bool ProcessLoop::stuck(uint64_t progress, uint64_t arrivals) {
  if (work_.progress() != progress || work_.arrivals() != arrivals || !work_.ready()) {
    idle_calls_ = 0;
    return false;
  }
  if (++idle_calls_ < kIdleCalls) return false;
  idle_calls_ = 0;
  machine_.report_violation(
      nt::Violation::KsNoProgress,
      fmt::format("Process of {} returned STATUS_SUCCESS {} times in a row without touching the frames that "
                  "wait: it would be called for ever",
                  name_, kIdleCalls));
  return true;
}

void ProcessLoop::note_waiting() {
  uint64_t progress = work_.progress();
  base::Guard guard(lock_);
  if (again_ != Again::No) return;
  waiting_ = {.waits = true, .since = machine_.executor().now(), .progress = progress};
}

ProcessLoop::Waiting ProcessLoop::waiting() {
  base::Guard guard(lock_);
  return waiting_;
}

void ProcessLoop::suspend() {
  nt::Thread& self = machine_.self();
  base::Task* task = self.task;
  {
    base::Guard guard(lock_);
    ++suspended_;
    // A thread that holds the processing mutex keeps Process from running already. It must not wait here: the loop may
    // wait for that mutex.
    if (!manner_.dispatch && mutex_.held()) return;
  }
  for (;;) {
    {
      base::Guard guard(lock_);
      std::erase(waiters_, task);
      if ((!runner_ || runner_ == &self) && !queued_) return;
      waiters_.push_back(task);
    }
    machine_.executor().park(base::kForever, base::Point::Wait);
  }
}

void ProcessLoop::resume() {
  std::optional<Manner> manner;
  {
    base::Guard guard(lock_);
    CHECK(suspended_ > 0);
    if (--suspended_ == 0 && again_ != Again::No && !runner_) {
      manner = manner_;
      manner->asynchronous = again_ == Again::Later || manner->asynchronous;
      again_ = Again::No;
    }
  }
  if (manner) trigger(*manner);
}

}  // namespace ks
