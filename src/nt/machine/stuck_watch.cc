#include "nt/machine/stuck_watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>

#include "base/debug/interrupted_stack.h"
#include "nt/ke/dispatcher.h"
#include "nt/machine/live_executor.h"
#include "nt/machine/machine.h"

namespace nt {

// Where a thread is. Filled in by the thread's signal handler, so nothing here may allocate memory.
struct ThreadLook {
  static constexpr size_t kLocks = 16;

  Thread* thread = nullptr;
  std::atomic<bool> answered{false};
  KIRQL irql = PASSIVE_LEVEL;
  bool in_driver = false;
  base::Stack stack;
  const char* waits_for = nullptr;  // null: it waits for nothing that is known
  uint32_t ordinal = 0;             // of what it waits for
  base::Task* holder = nullptr;
  const KMUTEX* mutex = nullptr;
  HeldLock wanted{};
  HeldLock held[kLocks];
  size_t held_count = 0;
};

namespace {

constexpr std::chrono::seconds kBetweenLooks{1};
constexpr std::chrono::seconds kPatience{5};

void fill(ThreadLook& look, const Thread& thread, const ucontext_t& where) {
  const auto& registers = where.uc_mcontext.gregs;
  look.stack =
      base::capture_interrupted(LiveExecutor::current_stack(), {reinterpret_cast<const uint8_t*>(registers[REG_RIP]),
                                                                static_cast<uintptr_t>(registers[REG_RSP]),
                                                                static_cast<uintptr_t>(registers[REG_RBP])});
  if (const WaitingFor* waits = thread.waiting_for.load(std::memory_order_acquire)) {
    look.waits_for = waits->what();
    look.ordinal = waits->ordinal();
    look.holder = waits->holder();
    look.mutex = waits->mutex();
  }
  look.irql = thread.irql;
  look.in_driver = thread.driver_call != nullptr;
  look.wanted = thread.wanted;
  look.held_count = std::min(thread.held.size(), ThreadLook::kLocks);
  std::copy_n(thread.held.begin(), look.held_count, look.held);
}

void on_signal(int, siginfo_t*, void* raw) {
  int before = errno;
  Thread* thread = Thread::current();
  ThreadLook* look = thread ? thread->look.exchange(nullptr, std::memory_order_acq_rel) : nullptr;
  if (look) {
    fill(*look, *thread, *static_cast<ucontext_t*>(raw));
    look->answered.store(true, std::memory_order_release);
  }
  errno = before;
}

// The signal handler is installed for as long as this lives.
class Asking {
 public:
  Asking() {
    struct sigaction action = {};
    action.sa_sigaction = &on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigaction(LiveExecutor::kLookSignal, &action, &before_);
  }
  ~Asking() { sigaction(LiveExecutor::kLookSignal, &before_, nullptr); }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  struct sigaction before_ = {};
};

bool is_odd(uint32_t number) { return number % 2 != 0; }

// Not a client's thread that is outside of every call.
bool may_have_to_do_with_it(const Thread& thread) {
  return !thread.terminated && thread.task.load() && (!thread.visitor || is_odd(thread.work.load()));
}

bool holds(const ThreadLook& look, uintptr_t address) {
  return std::any_of(look.held, look.held + look.held_count,
                     [address](const HeldLock& lock) { return lock.address == address; });
}

using Looks = std::deque<ThreadLook>;

// Clients' threads often have one name.
std::string name_of(const Thread& thread) { return fmt::format("thread '{}' ({})", thread.name, thread.ordinal); }

// The threads that hold what `look` waits for.
std::vector<const Thread*> holders_of(const ThreadLook& look, const Looks& all, Dispatcher& dispatcher) {
  std::vector<const Thread*> holders;
  if (look.wanted.address) {
    for (const ThreadLook& other : all) {
      if (holds(other, look.wanted.address)) holders.push_back(other.thread);
    }
  } else if (look.mutex) {
    Dispatcher::Guard guard(dispatcher.lock());
    if (look.mutex->OwnerThread) {
      holders.push_back(reinterpret_cast<const ThreadBody*>(look.mutex->OwnerThread)->thread);
    }
  } else if (look.holder) {
    for (const ThreadLook& other : all) {
      if (other.thread->task.load() == look.holder) holders.push_back(other.thread);
    }
  }
  return holders;
}

std::string state_of(const ThreadLook& look, const Looks& all, Dispatcher& dispatcher) {
  std::string text;
  if (!look.answered) {
    text = "does not answer";
  } else if (look.wanted.address) {
    text = fmt::format("waits for a {}", to_string(look.wanted.kind));
  } else if (look.waits_for) {
    text = fmt::format("waits for {}", look.waits_for);
    if (look.ordinal) text += fmt::format(" (object {})", look.ordinal);
  } else {
    text = "runs";
  }
  bool first = true;
  for (const Thread* holder : holders_of(look, all, dispatcher)) {
    text += fmt::format("{} {}", first ? ", held by" : " and", name_of(*holder));
    first = false;
  }
  for (size_t i = 0; i < look.held_count; ++i) {
    text += fmt::format("{} a {}", i == 0 ? "; it holds" : ",", to_string(look.held[i].kind));
  }
  return text;
}

bool waits(const ThreadLook& look) { return look.answered && (look.wanted.address || look.waits_for); }

void wait_for_answers(const Looks& looks) {
  auto until = std::chrono::steady_clock::now() + kPatience;
  auto silent = [](const ThreadLook& look) { return !look.answered.load(std::memory_order_acquire); };
  while (std::ranges::any_of(looks, silent) && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

}  // namespace

StuckWatch::StuckWatch(Machine& machine, LiveExecutor& live) : machine_(machine), live_(live) {}

StuckWatch::~StuckWatch() { stop(); }

void StuckWatch::start() {
  if (machine_.options().stuck_limit_s != 0) thread_ = std::thread([this] { watch(); });
}

void StuckWatch::stop() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void StuckWatch::watch() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (ended_.wait_for(lock, kBetweenLooks, [this] { return ending_; })) return;
    }
    look_and_stop(machine_.options().stuck_limit_s);
  }
}

void StuckWatch::look_and_stop(uint32_t limit) {
  std::optional<ViolationReport> found = look(limit);
  if (!found) return;
  machine_.observer().report_violation(*found);
  machine_.stop();
}

// Returns for how many looks it has been the same odd number.
uint32_t StuckWatch::count(uint32_t now, uint32_t& last, uint32_t& looks) {
  looks = is_odd(now) && now == last ? looks + 1 : 0;
  last = now;
  return looks;
}

std::optional<ViolationReport> StuckWatch::look(uint32_t limit) {
  std::vector<Thread*> threads = machine_.threads(), stuck;
  seen_.resize(threads.size());
  for (Thread* thread : threads) {
    Seen& seen = seen_[thread->ordinal - 1];
    uint32_t work = thread->unlimited.load() ? 0 : thread->work.load();
    uint32_t looks =
        std::max(count(work, seen.work, seen.work_looks), count(thread->raised.load(), seen.raised, seen.raised_looks));
    if (looks >= limit) stuck.push_back(thread);
  }
  if (stuck.empty()) return std::nullopt;
  return report(threads, stuck, limit);
}

ViolationReport StuckWatch::report(std::vector<Thread*> threads, const std::vector<Thread*>& stuck, uint32_t looks) {
  auto is_stuck = [&stuck](const Thread* thread) { return std::ranges::find(stuck, thread) != stuck.end(); };
  std::stable_partition(threads.begin(), threads.end(), is_stuck);
  Looks all;
  std::vector<base::Task*> tasks;
  for (Thread* thread : threads) {
    if (!is_stuck(thread) && !may_have_to_do_with_it(*thread)) continue;
    ThreadLook& look = all.emplace_back();
    look.thread = thread;
    thread->look.store(&look, std::memory_order_release);
    if (base::Task* task = thread->task) tasks.push_back(task);
  }
  {
    Asking asking;
    live_.ask(tasks);
    wait_for_answers(all);
    // A thread that has not begun to answer finds a null `look` from now on. One that has begun is waited for.
    for (ThreadLook& look : all) {
      if (look.thread->look.exchange(nullptr, std::memory_order_acq_rel)) continue;
      while (!look.answered.load(std::memory_order_acquire)) std::this_thread::yield();
    }
  }
  // A stuck thread that runs is the cause, if there is one; the threads that wait may only wait for it.
  auto runs = [&](const ThreadLook& look) { return is_stuck(look.thread) && !waits(look); };
  auto cause = std::find_if(all.begin(), all.end(), runs);
  const ThreadLook& first = cause != all.end() ? *cause : all.front();
  auto told = [&](const ThreadLook& look) {
    std::string state = state_of(look, all, machine_.dispatcher());
    return RoleStack{fmt::format("{} {}", name_of(*look.thread), state), look.stack};
  };
  ViolationReport violation{waits(first) ? Violation::Deadlock : Violation::Hang,
                            fmt::format("thread '{}' has been in one call for {} s or more: it {}", first.thread->name,
                                        looks, state_of(first, all, machine_.dispatcher())),
                            {told(first)},
                            first.thread->name,
                            first.thread->ordinal,
                            first.irql};
  for (const ThreadLook& look : all) {
    bool concerned = is_stuck(look.thread) || waits(look) || look.held_count != 0 || look.in_driver;
    if (&look != &first && concerned) violation.stacks.push_back(told(look));
  }
  return violation;
}

}  // namespace nt
