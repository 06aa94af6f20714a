#include "nt/machine/simulated_executor.h"

#include <algorithm>

#include "base/check.h"
#include "base/mutex.h"
#include "base/sanitizer.h"

namespace nt {

using base::kForever;
using base::Point;
using base::Wake;

namespace {
constexpr uint64_t kSpinEdges = 16'384;
constexpr uint64_t kSpinPoints = 1'024;
constexpr int64_t kSpinFuel = 64;
}  // namespace

SimulatedExecutor::SimulatedExecutor(Owner& owner, const Options& options)
    : owner_(owner), options_(options), choices_(options.seed, options.policy) {
  CHECK(options.processors >= 1 && options.processors <= 64);
}

SimulatedExecutor::~SimulatedExecutor() { CHECK(!running_); }

SimulatedExecutor::Ended SimulatedExecutor::run(std::string name, void (*entry)(void*), void* arg) {
  CHECK_MSG(!t_current, "a simulated machine runs on an OS thread that runs no other");
  running_ = true;
  base::set_on_fibers(true);
  base::stop_watching_races();
  StackArena::instance().rewind();
  main_.adopt_current();
  t_edge.handler = &on_edge;
  t_edge.owner = this;
  refuel();
  auto& root = static_cast<SimTask&>(spawn(std::move(name), entry, arg, base::kAnyProcessor));
  t_current = &root;
  owner_.switched(root);
  Fiber::switch_to(main_, root.fiber);
  // The run has ended: the root returned or a task called abandon().
  base::happens_after(this);
  settle_fuel();
  t_edge = EdgeState{};
  t_current = nullptr;
  running_ = false;
  if (!abandoned_) choices_.finished();
  base::watch_races();
  base::set_on_fibers(false);
  return abandoned_ ? Ended::Abandoned : Ended::Returned;
}

void SimulatedExecutor::abandon() {
  abandoned_ = true;
  base::happens_before(this);
  Fiber::switch_to(me().fiber, main_);
  __builtin_unreachable();
}

base::Task& SimulatedExecutor::spawn(std::string name, void (*entry)(void*), void* arg, uint32_t processor) {
  auto task = std::make_unique<SimTask>(std::move(name), static_cast<uint32_t>(tasks_.size() + 1));
  task->entry = entry;
  task->arg = arg;
  task->owner = this;
  task->home = processor;
  task->processor = processor == base::kAnyProcessor ? 0 : processor;
  task->priority = choices_.new_priority();
  base::StackBounds stack = StackArena::instance().take();
  base::happens_after(reinterpret_cast<void*>(stack.lo));  // the task that had it before has ended
  task->fiber.prepare(stack, &task_main, task.get());
  SimTask& made = *task;
  tasks_.push_back(std::move(task));
  make_ready(made);
  progress();
  return made;
}

void SimulatedExecutor::task_main(void* raw) {
  auto& task = *static_cast<SimTask*>(raw);
  SimulatedExecutor& self = *task.owner;
  base::stop_watching_races();
  task.entry(task.arg);
  CHECK_MSG(!task.pinned, "a task ended at a raised IRQL");
  task.done = true;
  self.make_unready(task);
  self.progress();
  base::happens_before(&self);
  if (task.ordinal() == 1) {
    Fiber::switch_to(task.fiber, self.main_);
  } else {
    // No task is spawned before another task runs, and this one never runs again.
    base::happens_before(reinterpret_cast<void*>(task.fiber.stack().lo));
    StackArena::instance().give_back(task.fiber.stack());
    self.reschedule(Point::Exit);
  }
  __builtin_unreachable();
}

Wake SimulatedExecutor::park(base::TimeNs deadline, Point point) {
  CHECK_MSG(!base::holds_any_mutex(), "parked while holding a mutex");
  SimTask& task = me();
  if (task.permit) {
    task.permit = false;
    return Wake::Unparked;
  }
  settle_fuel();
  if (deadline != kForever && deadline <= time_) return Wake::Deadline;
  task.timed_out = false;
  if (deadline != kForever) deadlines_.add(task, deadline);
  make_unready(task);
  progress();
  reschedule(point);
  if (task.timed_out && !task.permit) return Wake::Deadline;
  task.permit = false;
  return Wake::Unparked;
}

void SimulatedExecutor::unpark(base::Task& base_task) {
  auto& task = static_cast<SimTask&>(base_task);
  if (task.done) return;
  task.permit = true;
  if (task.ready_index != kNotReady) return;
  deadlines_.remove(task);
  make_ready(task);
}

void SimulatedExecutor::yield(Point point) {
  CHECK_MSG(!base::holds_any_mutex(), "a scheduling point while holding a mutex");
  settle_fuel();
  count_point();
  reschedule(point);
  owner_.at_point(point);
}

void SimulatedExecutor::pin() {
  SimTask& task = me();
  DCHECK(!task.pinned);
  uint64_t bit = uint64_t{1} << task.processor;
  DCHECK(!(owned_processors_ & bit));
  owned_processors_ |= bit;
  task.pinned = true;
}

void SimulatedExecutor::unpin() {
  SimTask& task = me();
  DCHECK(task.pinned);
  owned_processors_ &= ~(uint64_t{1} << task.processor);
  task.pinned = false;
}

void SimulatedExecutor::bind(uint32_t processor) {
  SimTask& task = me();
  task.home = processor;
  if (task.pinned || processor == base::kAnyProcessor || task.processor == processor) return;
  yield(Point::Yield);  // waits while another task owns that processor
}

uint32_t SimulatedExecutor::processor() { return me().processor; }

uint64_t SimulatedExecutor::choose(uint64_t below) {
  uint64_t value = choices_.choose(below);
  if (__builtin_expect(choices_.divergence().has_value(), 0)) owner_.diverged();
  return value;
}

std::vector<SimulatedExecutor::View> SimulatedExecutor::tasks() {
  std::vector<View> views;
  for (auto& task : tasks_) {
    if (task->done) continue;
    bool current = task.get() == t_current;
    views.push_back({task.get(), current, task->ready_index == kNotReady, task->fiber.stack(), task->frame});
  }
  return views;
}

base::StackBounds SimulatedExecutor::current_stack() { return me().fiber.stack(); }

void SimulatedExecutor::settle_fuel() {
  SimTask& task = me();
  uint64_t edges = burnt();
  time_ += edges * kEdgeNs;
  spin_edges_ += edges;
  edges_without_progress_ += edges;
  task.edges_without_call = t_edge.called ? 0 : task.edges_without_call + edges;
  t_edge.called = false;
  t_edge.granted = t_edge.fuel;
}

// A task that has spun for long gets longer turns: preempting it every few edges brings nothing new, and a hang is
// reported sooner.
void SimulatedExecutor::refuel() {
  int64_t fuel = choices_.fuel();
  if (t_current && me().edges_without_call > kSpinEdges) {
    uint64_t spun = me().edges_without_call, limit = options_.hang_edges;
    int64_t left = spun <= limit ? static_cast<int64_t>(limit - spun) + 1 : 1;
    fuel = std::max(fuel, std::min(fuel * kSpinFuel, left));
  }
  t_edge.fuel = t_edge.granted = fuel;
}

void SimulatedExecutor::on_edge(void* raw, EdgeEvent event, uintptr_t frame) {
  auto& self = *static_cast<SimulatedExecutor*>(raw);
  base::stop_watching_races();
  if (event != EdgeEvent::OutOfFuel) {
    self.owner_.edge(event, frame);
  } else {
    self.settle_fuel();
    self.refuel();
    if (self.choices_.divergence()) self.owner_.diverged();
    uint64_t limit = self.options_.hang_edges;
    if (self.me().edges_without_call > limit) self.owner_.stuck(Stuck::Hang);
    if (self.edges_without_progress_ > kLivelockHangs * limit) self.owner_.stuck(Stuck::Livelock);
    self.fall_behind_if_spinning();
    self.reschedule(Point::Edge);
    self.owner_.at_point(Point::Edge);
  }
  base::watch_races();
}

void SimulatedExecutor::make_ready(SimTask& task) {
  DCHECK(task.ready_index == kNotReady);
  task.ready_index = static_cast<uint32_t>(ready_.size());
  ready_.push_back(&task);
}

void SimulatedExecutor::make_unready(SimTask& task) {
  SimTask* last = ready_.back();
  ready_[task.ready_index] = last;
  last->ready_index = task.ready_index;
  ready_.pop_back();
  task.ready_index = kNotReady;
}

void SimulatedExecutor::expire_deadlines() {
  while (!deadlines_.empty() && deadlines_.first().deadline.at <= time_) {
    SimTask& due = deadlines_.first();
    deadlines_.remove(due);
    due.timed_out = true;
    make_ready(due);
  }
}

// No task can run: time jumps to the next deadline. Without a deadline it is a deadlock.
void SimulatedExecutor::wait_for_someone() {
  while (std::none_of(ready_.begin(), ready_.end(), [this](SimTask* task) { return eligible(*task); })) {
    if (deadlines_.empty()) owner_.stuck(Stuck::Deadlock);
    time_ = std::max(time_, deadlines_.first().deadline.at);
    if (too_late()) owner_.stuck(Stuck::Livelock);
    expire_deadlines();
  }
}

bool SimulatedExecutor::eligible(const SimTask& task) const {
  if (task.pinned) return true;
  uint64_t all = options_.processors == 64 ? ~uint64_t{0} : (uint64_t{1} << options_.processors) - 1;
  uint64_t wanted = task.home == base::kAnyProcessor ? all : uint64_t{1} << task.home;
  return (wanted & ~owned_processors_) != 0;
}

void SimulatedExecutor::count_point() {
  time_ += kPointNs;
  if (++points_without_progress_ > options_.livelock_points || too_late()) {
    owner_.stuck(Stuck::Livelock);
  }
  if (points_without_progress_ % kSpinPoints == 0) me().priority = choices_.lowest_priority();
}

// Under priorities a task that polls would keep the one it polls for from ever running.
void SimulatedExecutor::fall_behind_if_spinning() {
  if (spin_edges_ < kSpinEdges) return;
  spin_edges_ = 0;
  me().priority = choices_.lowest_priority();
}

void SimulatedExecutor::reschedule(Point point) {
  SimTask& from = me();
  if (!deadlines_.empty()) expire_deadlines();
  uint32_t count = static_cast<uint32_t>(ready_.size());
  uint32_t current = from.ready_index == kNotReady ? count : from.ready_index;
  if (current < count && count > 1 && choices_.change_point()) from.priority = choices_.lowest_priority();
  uint32_t index = 0;
  bool found = false;
  if (count > 0) {
    // A task that cannot run gets priority 0: else it would be picked, and the task behind it would run instead,
    // whatever that task's priority is.
    index =
        choices_.pick(count, current, [this](uint32_t i) { return eligible(*ready_[i]) ? ready_[i]->priority : 0; });
    if (__builtin_expect(choices_.divergence().has_value(), 0)) owner_.diverged();
    for (uint32_t tried = 0; tried < count && !found; ++tried) {
      found = eligible(*ready_[index]);
      if (!found) index = index + 1 < count ? index + 1 : 0;
    }
  }
  if (!found) {
    wait_for_someone();
    index = 0;
    while (!eligible(*ready_[index])) ++index;
  }
  SimTask& next = *ready_[index];
  place(next);
  owner_.picked(point, next.ordinal(), count);
  if (&next != &from) resume(next);
}

// On the processor it owns or is bound to, else where it was before unless that one is owned now.
void SimulatedExecutor::place(SimTask& next) {
  if (next.pinned) return;
  if (next.home != base::kAnyProcessor) {
    next.processor = next.home;
  } else if (owned_processors_ >> next.processor & 1) {
    next.processor = static_cast<uint32_t>(__builtin_ctzll(~owned_processors_));
  }
}

void SimulatedExecutor::resume(SimTask& next) {
  SimTask& from = me();
  base::happens_before(this);
  spin_edges_ = 0;
  from.frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  t_current = &next;
  owner_.switched(next);
  Fiber::switch_to(from.fiber, next.fiber);
}

}  // namespace nt
