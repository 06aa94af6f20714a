#include "nt/machine/live_executor.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "base/check.h"

namespace nt {

using base::Guard;
using base::kAnyProcessor;
using base::kForever;
using base::TimeNs;
using base::Wake;

namespace {

constexpr TimeNs kSecond = 1'000'000'000;

TimeNs monotonic() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<TimeNs>(time.tv_sec) * kSecond + static_cast<TimeNs>(time.tv_nsec);
}

// Returns when woken, when the word is not `expected`, at `until` on the monotonic clock, or for no reason at all:
// callers look at the word and the clock themselves.
void futex_wait(std::atomic<uint32_t>& word, uint32_t expected, TimeNs until = kForever) {
  timespec time{static_cast<time_t>(until / kSecond), static_cast<long>(until % kSecond)};
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected, until == kForever ? nullptr : &time,
          nullptr, FUTEX_BITSET_MATCH_ANY);
}

void futex_wake(std::atomic<uint32_t>& word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, nullptr, nullptr, 0);
}

uint64_t all_of(uint32_t processors) {
  CHECK(processors >= 1 && processors <= 64);
  return ~uint64_t{0} >> (64 - processors);
}

void name_this_thread(const std::string& name) {
  constexpr size_t kLongest = 15;  // what Linux keeps
  pthread_setname_np(pthread_self(), name.substr(0, kLongest).c_str());
}

}  // namespace

// --- Processors ---
//
// No task sleeps while a processor it may take is free. The waiter counts itself, reads given_, looks for a free one
// and sleeps only if given_ has not moved; the giver sets the bit free and then looks for waiters. All of it is
// sequentially consistent, so either the waiter sees the bit or the giver sees the waiter and moves given_.

uint32_t LiveExecutor::Tokens::take(uint64_t allowed, uint32_t preferred) {
  uint32_t token = try_take(allowed, preferred);
  return token != kNoToken ? token : wait_and_take(allowed, preferred);
}

void LiveExecutor::Tokens::give(uint32_t token) {
  free_.fetch_or(uint64_t{1} << token);
  if (waiters_.load() == 0) return;
  given_.fetch_add(1);
  futex_wake(given_, INT_MAX);  // wakes all: a single one might not be allowed to take this token
}

uint32_t LiveExecutor::Tokens::try_take(uint64_t allowed, uint32_t preferred) {
  uint64_t free = free_.load();
  while (uint64_t usable = free & allowed) {
    uint32_t token = usable >> preferred & 1 ? preferred : static_cast<uint32_t>(__builtin_ctzll(usable));
    if (free_.compare_exchange_weak(free, free & ~(uint64_t{1} << token))) return token;
  }
  return kNoToken;
}

uint32_t LiveExecutor::Tokens::wait_and_take(uint64_t allowed, uint32_t preferred) {
  waiters_.fetch_add(1);
  while (true) {
    uint32_t given = given_.load();
    uint32_t token = try_take(allowed, preferred);
    if (token != kNoToken) {
      waiters_.fetch_sub(1);
      return token;
    }
    futex_wait(given_, given);
  }
}

void LiveExecutor::pin() {
  LiveTask& task = me();
  DCHECK(!task.pinned);
  task.processor = tokens_.take(task.allowed, task.processor);
  task.pinned = true;
}

void LiveExecutor::unpin() {
  LiveTask& task = me();
  DCHECK(task.pinned);
  task.pinned = false;
  tokens_.give(task.processor);
}

void LiveExecutor::bind(uint32_t processor) { me().bind(processor); }

uint32_t LiveExecutor::processor() { return me().processor; }

// --- Permits ---
//
// A permit is always taken by an exchange: a second unpark may come between seeing the first and clearing it, and what
// its caller wrote must be seen too, since its permit is cleared along.

Wake LiveExecutor::park(TimeNs deadline, base::Point) {
  CHECK_MSG(!base::holds_any_mutex(), "parked while holding a mutex");
  std::atomic<uint32_t>& permit = me().permit;
  if (permit.exchange(kNone, std::memory_order_acquire) == kGiven) return Wake::Unparked;
  if (deadline != kForever && now() >= deadline) return Wake::Deadline;

  TimeNs until = deadline < kForever - start_ ? start_ + deadline : kForever;
  uint32_t none = kNone;
  if (permit.compare_exchange_strong(none, kParked, std::memory_order_relaxed)) {
    do {
      futex_wait(permit, kParked, until);
    } while (permit.load(std::memory_order_relaxed) == kParked && now() < deadline);
  }
  bool given = permit.exchange(kNone, std::memory_order_acquire) == kGiven;
  return given ? Wake::Unparked : Wake::Deadline;
}

void LiveExecutor::unpark(base::Task& base_task) {
  auto& task = static_cast<LiveTask&>(base_task);
  if (task.permit.exchange(kGiven, std::memory_order_release) == kParked) futex_wake(task.permit, 1);
}

// --- Time and random numbers ---

TimeNs LiveExecutor::now() { return monotonic() - start_; }

void LiveExecutor::stall(TimeNs duration) {
  TimeNs begin = monotonic();
  while (monotonic() - begin < duration) __builtin_ia32_pause();
}

uint64_t LiveExecutor::choose(uint64_t below) { return me().rng.below(below); }

base::StackBounds LiveExecutor::current_stack() {
  static thread_local const base::StackBounds bounds = base::os_thread_stack();
  return bounds;
}

// --- Tasks ---

LiveExecutor::LiveTask::LiveTask(std::string name, uint32_t ordinal, LiveExecutor& live)
    : base::Task(std::move(name), ordinal),
      owner(live),
      allowed(all_of(live.options_.processors)),
      processor(ordinal % live.options_.processors),
      rng(base::Rng(live.options_.seed).split("task", ordinal)) {}

void LiveExecutor::LiveTask::bind(uint32_t home) {
  if (home == kAnyProcessor) {
    allowed = all_of(owner.options_.processors);
    return;
  }
  CHECK(home < owner.options_.processors);
  CHECK_MSG(!pinned || home == processor, "a task is bound to another processor while it owns one");
  allowed = uint64_t{1} << home;
  processor = home;
}

LiveExecutor::LiveExecutor(const Options& options)
    : options_(options), start_(monotonic()), tokens_(all_of(options.processors)) {}

LiveExecutor::~LiveExecutor() {
  join_except({});
  Guard guard(lock_);
  CHECK_MSG(attached_ == 0, "a client's thread is still attached to an executor that ends");
}

void LiveExecutor::join_except(const std::vector<base::Task*>& others) {
  for (;;) {
    join_ended();
    LiveTask* next = nullptr;
    {
      Guard guard(lock_);
      auto other = std::ranges::find_if(
          unjoined_, [&others](LiveTask* task) { return std::ranges::find(others, task) == others.end(); });
      if (other == unjoined_.end()) return;
      next = *other;
    }
    while (!next->ended.load(std::memory_order_acquire)) futex_wait(next->ended, 0);
  }
}

// A thread that has not ended has not been joined, and none is joined meanwhile.
void LiveExecutor::ask(const std::vector<base::Task*>& tasks) {
  Guard guard(lock_);
  for (base::Task* each : tasks) {
    auto* task = static_cast<LiveTask*>(each);
    bool unjoined = std::ranges::find(unjoined_, task) != unjoined_.end();
    if (task->attached || unjoined) pthread_kill(task->thread, kLookSignal);
  }
}

void LiveExecutor::accept_looks() {
  sigset_t look;
  sigemptyset(&look);
  sigaddset(&look, kLookSignal);
  pthread_sigmask(SIG_UNBLOCK, &look, nullptr);
}

base::Task& LiveExecutor::spawn(std::string name, void (*entry)(void*), void* arg, uint32_t processor) {
  join_ended();
  LiveTask* task = nullptr;
  {
    Guard guard(lock_);
    task = &make_task_locked(std::move(name));
  }
  task->bind(processor);
  task->entry = entry;
  task->arg = arg;
  // Under the lock: a thread that takes the task off the list, or sends it a signal, must find task->thread set.
  Guard guard(lock_);
  CHECK_MSG(pthread_create(&task->thread, nullptr, &thread_main, task) == 0, "the system refuses another thread");
  unjoined_.push_back(task);
  return *task;
}

void* LiveExecutor::thread_main(void* raw) {
  auto& task = *static_cast<LiveTask*>(raw);
  name_this_thread(task.name());
  accept_looks();
  current_stack();  // asked for now: a signal handler may not
  t_current = &task;
  task.entry(task.arg);
  CHECK_MSG(!task.pinned, "a task ended at a raised IRQL");
  t_current = nullptr;
  task.ended.store(1, std::memory_order_release);
  futex_wake(task.ended, 1);
  return nullptr;
}

LiveExecutor::LiveTask& LiveExecutor::me() {
  DCHECK(t_current);
  auto& task = static_cast<LiveTask&>(*t_current);
  DCHECK(&task.owner == this);
  return task;
}

LiveExecutor::LiveTask& LiveExecutor::make_task_locked(std::string name) {
  auto ordinal = static_cast<uint32_t>(tasks_.size() + 1);
  tasks_.push_back(std::make_unique<LiveTask>(std::move(name), ordinal, *this));
  return *tasks_.back();
}

// An ended thread keeps its stack until it is joined: without this, every short task would cost one for good.
void LiveExecutor::join_ended() {
  Guard guard(lock_);
  std::erase_if(unjoined_, [](LiveTask* task) {
    if (!task->ended.load(std::memory_order_acquire)) return false;
    CHECK(pthread_join(task->thread, nullptr) == 0);
    return true;
  });
}

// --- Clients ---

LiveExecutor::Attached LiveExecutor::attach(const std::string& name) {
  CHECK_MSG(!t_current, "this thread is a task already");
  return Attached(*this, task_for_client(name));
}

LiveExecutor::LiveTask& LiveExecutor::task_for_client(const std::string& name) {
  current_stack();  // asked for now: a signal handler may not
  Guard guard(lock_);
  ++attached_;
  auto known =
      std::find_if(detached_.begin(), detached_.end(), [&name](LiveTask* task) { return task->name() == name; });
  LiveTask& task = known == detached_.end() ? make_task_locked(name) : **known;
  if (known != detached_.end()) {
    detached_.erase(known);
    task.local = nullptr;
    task.bind(kAnyProcessor);
    task.permit.store(kNone, std::memory_order_relaxed);
  }
  task.thread = pthread_self();
  task.attached = true;
  return task;
}

void LiveExecutor::detach(LiveTask& task) {
  CHECK_MSG(t_current == &task, "detached on another thread than it was attached on");
  CHECK_MSG(!task.pinned, "a client's thread detached at a raised IRQL");
  t_current = nullptr;
  Guard guard(lock_);
  --attached_;
  task.attached = false;
  detached_.push_back(&task);
}

LiveExecutor::Attached::Attached(LiveExecutor& live, LiveTask& task) : live_(live), task_(task) { t_current = &task; }

LiveExecutor::Attached::~Attached() { live_.detach(task_); }

base::Task& LiveExecutor::Attached::task() { return task_; }

}  // namespace nt
