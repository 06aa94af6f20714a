#include "nt/machine/machine.h"

#include <fmt/format.h>
#include <setjmp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "nt/boundary/last_call.h"
#include "nt/dma/dma_adapters.h"
#include "nt/ex/kernel_handles.h"
#include "nt/ex/object_references.h"
#include "nt/ex/work_queues.h"
#include "nt/hardware/interrupts.h"
#include "nt/hardware/registers.h"
#include "nt/io/device_names.h"
#include "nt/io/device_objects.h"
#include "nt/io/file_objects.h"
#include "nt/io/irps.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/dpc_queues.h"
#include "nt/ke/irql.h"
#include "nt/ke/timers.h"
#include "nt/machine/history.h"
#include "nt/machine/stuck_watch.h"
#include "nt/mm/mdls.h"
#include "nt/mm/paged_guard.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"
#include "nt/store/host_files.h"
#include "nt/store/registry.h"

namespace nt {
namespace {

constexpr size_t kHeldAtOnce = 16;  // locks: a list of so many does not move while a signal handler reads it

SimulatedExecutor::Options executor_options(const MachineOptions& options) {
  return {options.processors,      options.seed,      options.policy, options.hang_edges,
          options.livelock_points, options.time_limit};
}

void append_stacks(ViolationReport& violation, const std::vector<RequestStory>& requests) {
  for (const RequestStory& request : requests) {
    violation.stacks.insert(violation.stacks.end(), request.stacks.begin(), request.stacks.end());
  }
}

}  // namespace

Machine::Machine(const MachineOptions& options, MachineObserver& observer, trace::Writer& trace)
    : options_(options),
      observer_(observer),
      trace_(trace),
      root_scope_(ScopeKind::Machine, "machine", nullptr),
      // Not make_unique: that we are its Owner is known only in here.
      simulated_(options.pace == Pace::Simulated ? new SimulatedExecutor(*this, executor_options(options)) : nullptr),
      live_(options.pace == Pace::Live
                ? std::make_unique<LiveExecutor>(LiveExecutor::Options{options.processors, options.seed})
                : nullptr),
      executor_(simulated_ ? static_cast<base::Executor&>(*simulated_) : *live_),
      pool_(std::make_unique<Pool>(*this)),
      physical_(std::make_unique<PhysicalMemory>(*this)),
      mdls_(std::make_unique<Mdls>(*this)),
      registry_(std::make_unique<Registry>([this] { return Timers::system_time(executor_.now()); })),
      host_files_(std::make_unique<HostFiles>(options.files_folder)),
      dispatcher_(std::make_unique<Dispatcher>(*this)),
      dpcs_(std::make_unique<DpcQueues>(*this, *dispatcher_)),
      timers_(std::make_unique<Timers>(*this, *dispatcher_)),
      interrupts_(std::make_unique<Interrupts>(*this, *dispatcher_)),
      registers_(std::make_unique<Registers>(*this)),
      handles_(std::make_unique<KernelHandles>(*this)),
      references_(std::make_unique<ObjectReferences>(*this)),
      devices_(std::make_unique<DeviceObjects>(*this)),
      device_names_(std::make_unique<DeviceNames>(*this)),
      irps_(std::make_unique<Irps>(*this)),
      files_(std::make_unique<Files>(*this)),
      dma_(std::make_unique<DmaAdapters>(*this)),
      work_queues_(std::make_unique<WorkQueues>(*this)),
      stuck_watch_(live_ ? std::make_unique<StuckWatch>(*this, *live_) : nullptr) {
  if (simulated_ && options.replay) simulated_->choices().replay(*options.replay);
  if (simulated_ && options.record) simulated_->choices().record(*options.record);
}

Machine::~Machine() = default;

Machine::Ended Machine::run(const std::function<void()>& body) {
  Thread& main = add_thread("main");
  main.scope = &root_scope_;
  main.body_function = [this, &body] {
    note(trace::MachineStart{
        .seed = options_.seed, .processors = options_.processors, .policy = to_string(options_.policy)});
    dpcs_->start();
    timers_->start();
    body();
  };
  if (live_) {
    run_live(main);
    return Ended::Returned;
  }
  SimulatedExecutor::Ended ended = simulated_->run("main", &thread_main, &main);
  if (diverged_ || (ended == SimulatedExecutor::Ended::Returned && simulated_->choices().divergence()))
    return Ended::Diverged;
  return ended == SimulatedExecutor::Ended::Returned ? Ended::Returned : Ended::Stopped;
}

void Machine::run_live(Thread& main) {
  LiveExecutor::Attached attached = live_->attach("main");
  LiveExecutor::accept_looks();
  stuck_watch_->start();
  thread_main(&main);
  {
    Work work(main);
    WaitingFor waits("the other threads to end");
    enter_phase(Phase::Ending);
    std::vector<base::Task*> last;
    for (Thread* thread : threads()) {
      base::Task* task = thread->task.load();  // set last: without it the thread is still being made
      if (task && thread->last) last.push_back(task);
    }
    live_->join_except(last);
    enter_phase(Phase::Halting);
    live_->join_except({});
  }
  stuck_watch_->stop();
}

// A thread reads the phase before it parks; a new thread stores its task before it reads the phase. All of it is
// sequentially consistent, so either the thread sees the phase or it is woken here.
void Machine::enter_phase(Phase phase) {
  phase_.store(phase);
  for (Thread* thread : threads()) {
    if (base::Task* task = thread->task.load()) executor_.unpark(*task);
  }
}

// OS threads cannot be abandoned, so the process ends, after on_live_stop was called. Other threads that want to stop
// wait here until then.
void Machine::stop() {
  if (simulated_) simulated_->abandon();
  static std::atomic<bool> stopping{false};
  while (stopping.exchange(true)) pause();
  if (options_.on_live_stop) {
    options_.on_live_stop();
  } else {
    std::fputs("drydock: a broken rule stops a live machine, and the process with it\n", stderr);
  }
  std::abort();
}

base::StackBounds Machine::current_stack() { return simulated_ ? simulated_->current_stack() : live_->current_stack(); }

// --- Threads ---

Thread& Machine::add_thread(std::string name) {
  base::Guard guard(scope_lock_);
  threads_.push_back(std::make_unique<Thread>(*this, std::move(name), static_cast<uint32_t>(threads_.size() + 1)));
  if (live_) threads_.back()->held.reserve(kHeldAtOnce);
  return *threads_.back();
}

std::vector<Thread*> Machine::threads() {
  std::vector<Thread*> all;
  base::Guard guard(scope_lock_);
  all.reserve(threads_.size());
  for (const auto& thread : threads_) all.push_back(thread.get());
  return all;
}

Machine::Visit::Visit(Machine& machine, const std::string& name)
    : attached_(machine.live_->attach(name)), thread_(machine.add_thread(name)) {
  thread_.scope = &machine.root_scope_;
  thread_.visitor = true;
  attached_.task().local = &thread_;
  thread_.task = &attached_.task();
  machine.give_body(thread_);
  refresh_edge_limits(thread_);
}

Machine::Visit::~Visit() {
  thread_.machine.check_thread_end(thread_);
  thread_.terminated = true;
  thread_.task = nullptr;
  attached_.task().local = nullptr;
}

Thread& Machine::create_thread(NewThread wanted) {
  Thread& thread = add_thread(wanted.name);
  thread.scope = wanted.scope ? wanted.scope : self().scope;
  thread.body_function = std::move(wanted.body);
  thread.critical_regions = wanted.critical_regions;
  thread.system = wanted.system;
  thread.housekeeping = wanted.housekeeping;
  thread.last = wanted.last;
  give_body(thread);
  thread.task = &executor_.spawn(std::move(wanted.name), &thread_main, &thread, wanted.processor);
  note(trace::ThreadCreate{.created = thread.ordinal, .name = thread.name});
  return thread;
}

void Machine::give_body(Thread& thread) {
  void* memory = pool_->allocate(sizeof(ThreadBody), 0, PoolKind::Internal, PoolFill::Zero);
  CHECK(memory);
  thread.body = new (memory) ThreadBody{};
  thread.body->thread = &thread;
  dispatcher_->initialise(&thread.body->header, sizeof(DISPATCHER_HEADER), ObjectType::Thread, 0);
}

void Machine::thread_main(void* raw) {
  auto& thread = *static_cast<Thread*>(raw);
  base::Task* task = base::Executor::current();
  task->local = &thread;
  thread.task = task;
  refresh_edge_limits(thread);
  thread.machine.run_thread(thread);
}

void Machine::run_thread(Thread& thread) {
  if (!thread.body) give_body(thread);  // the first thread has no creator that would do it
  jmp_buf exit;
  thread.exit_jump = &exit;
  if (_setjmp(exit) == 0) thread.body_function();
  check_thread_end(thread);
  note(trace::ThreadExit{});
  thread.terminated = true;
  dispatcher_->signal(thread.body->header);
}

void Machine::exit_thread() { _longjmp(*static_cast<jmp_buf*>(self().exit_jump), 1); }

void Machine::check_thread_end(Thread& thread) {
  thread.seh = nullptr;
  thread.stack_floor = t_edge.stack_floor = 0;
  thread.left_driver_at = 0;
  if (!thread.held.empty()) {
    report_violation(Violation::LockLeftHeld,
                     fmt::format("thread '{}' ended with a {} held", thread.name, to_string(thread.held.back().kind)));
    thread.held.clear();
  }
  if (thread.irql != PASSIVE_LEVEL) {
    report_violation(Violation::IrqlNotRestored,
                     fmt::format("thread '{}' ended at {}", thread.name, irql_name(thread.irql)));
    lower_irql(PASSIVE_LEVEL);
  }
  thread.driver_call = nullptr;
}

// --- IRQL ---

void Machine::raise_irql(KIRQL to) {
  Thread& thread = self();
  KIRQL from = thread.irql;
  if (from < DISPATCH_LEVEL && to >= DISPATCH_LEVEL) {
    executor_.pin();
    thread.raised.store(thread.raised.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  thread.irql = to;
  refresh_edge_limits(thread);
  note(trace::IrqlChange{.from = from, .to = to});
}

void Machine::lower_irql(KIRQL to) {
  Thread& thread = self();
  KIRQL from = thread.irql;
  // DPCs and interrupts that the old IRQL held back are delivered before anything runs at the new one.
  if (from >= DISPATCH_LEVEL && to < DISPATCH_LEVEL) {
    thread.irql = DISPATCH_LEVEL;
    refresh_edge_limits(thread);
    if (!thread.delivering) {
      thread.delivering = true;
      dpcs_->drain();
      thread.delivering = false;
    }
    executor_.unpin();
    thread.raised.store(thread.raised.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  thread.irql = to;
  refresh_edge_limits(thread);
  note(trace::IrqlChange{.from = from, .to = to});
  if (from != to) executor_.yield(base::Point::Irql);
}

void Machine::deliver() {
  Thread& thread = self();
  if (interrupts_->pending_above(thread.irql)) interrupts_->deliver();
  if (thread.irql < DISPATCH_LEVEL && !thread.delivering && dpcs_->pending(executor_.processor())) {
    KIRQL old = thread.irql;
    raise_irql(DISPATCH_LEVEL);
    lower_irql(old);
  }
}

void Machine::at_point(base::Point) {
  Thread& thread = self();
  if (__builtin_expect(interrupts_->pending_above(thread.irql) ||
                           (thread.irql < DISPATCH_LEVEL && dpcs_->pending(executor_.processor())),
                       0)) {
    deliver();
  }
}

void Machine::refresh_edge_limits(const Thread& thread) {
  t_edge.highest_guard = thread.irql >= DISPATCH_LEVEL ? 1 : 2;
  t_edge.stack_floor = thread.stack_floor;
  if (!thread.machine.live()) PagedGuard::instance().set_raised(thread.irql >= DISPATCH_LEVEL);
}

void Machine::switched(base::Task& to) {
  auto* thread = static_cast<Thread*>(to.local);
  if (thread) refresh_edge_limits(*thread);
}

void Machine::picked(base::Point point, uint32_t next, uint32_t runnable) {
  note(trace::SchedPoint{.point = static_cast<uint8_t>(point), .next = next, .runnable = runnable});
}

// --- Reports ---

base::Stack Machine::here(uint32_t skip) { return base::capture(current_stack(), __builtin_frame_address(0), skip); }

base::StackId Machine::here_id() {
  base::Stack stack = here(1);
  base::Guard guard(scope_lock_);
  return stacks_.intern(stack);
}

base::Stack Machine::KeptStacks::get(base::StackId id) const {
  base::Guard guard(machine_.scope_lock_);
  return machine_.stacks_.get(id);
}

void Machine::track(Tracked& item) {
  base::Stack stack = here(1);
  base::Guard guard(scope_lock_);
  item.stack = stacks_.intern(stack);
  item.ordinal = ++tracked_ordinal_;
  self().scope->add(item);
}

void Machine::untrack(Tracked& item) {
  base::Guard guard(scope_lock_);
  Scope::remove(item);
}

ViolationReport Machine::violation(Violation what, std::string sentence) {
  ViolationReport result{what, std::move(sentence), {}, {}};
  if (Thread* thread = Thread::current()) {
    result.thread = thread->name;
    result.thread_ordinal = thread->ordinal;
    result.irql = thread->irql;
    if (const DriverCallFrame* frame = thread->driver_call) {
      result.in_call = frame->name;
      result.routine = frame->code;
      if (frame->arguments) result.call = describe_call(frame->name, frame->shape, frame->arguments);
    } else {
      result.call = describe_last_call(*thread);
      result.routine = thread->last_call.code;
    }
  }
  return result;
}

void Machine::report_violation(Violation what, std::string sentence, std::vector<RoleStack> more, Subject subject) {
  ViolationReport result = violation(what, std::move(sentence));
  result.subject = subject;
  result.stacks.push_back({"here", here(1)});
  result.stacks.insert(result.stacks.end(), more.begin(), more.end());
  report(std::move(result));
}

ViolationReport Machine::violation_at(Violation what, std::string sentence, uintptr_t pc, uintptr_t frame) {
  ViolationReport result = violation(what, std::move(sentence));
  base::Stack outer = base::capture(current_stack(), reinterpret_cast<void*>(frame));
  base::Stack stack;
  if (pc) stack.pc[stack.count++] = pc + 1;  // the other frames are return addresses, which lie behind the call
  for (uint32_t i = 0; i < outer.count && stack.count < base::Stack::kMax; ++i) stack.pc[stack.count++] = outer.pc[i];
  result.stacks.push_back({"here", stack});
  return result;
}

void Machine::report_violation_with(Violation what, std::string sentence, const base::Stack& stack,
                                    std::vector<RoleStack> more) {
  ViolationReport result = violation(what, std::move(sentence));
  result.stacks.push_back({"here", stack});
  result.stacks.insert(result.stacks.end(), more.begin(), more.end());
  report(std::move(result));
}

void Machine::report(ViolationReport found) {
  broken_.store(true, std::memory_order_relaxed);
  found.history = recent_history(trace_, found.subject, found.thread_ordinal);
  note(trace::Finding{.rule = to_string(found.what), .text = found.sentence});
  if (observer_.report_violation(found) == Then::Stop) stop();
}

void Machine::bug_check(uint32_t code, uint64_t p1, uint64_t p2, uint64_t p3, uint64_t p4) {
  note(trace::BugCheck{.code = code, .p1 = p1, .p2 = p2, .p3 = p3, .p4 = p4});
  report_violation(
      Violation::DriverBugCheck,
      fmt::format("the driver called for bug check 0x{:X} (0x{:X}, 0x{:X}, 0x{:X}, 0x{:X})", code, p1, p2, p3, p4));
  stop();
}

size_t Machine::audit(Scope& scope, Violation as, uint32_t kinds, const char* verdict) {
  struct Left {
    ResourceKind kind;
    base::StackId stack;
  };
  std::vector<Left> all;
  {
    base::Guard guard(scope_lock_);
    scope.for_each([&](Tracked& item) {
      if (!(kinds & kind_bit(item.kind))) return;
      all.push_back({item.kind, item.stack});
      Scope::remove(item);
    });
  }
  for (const Left& left : all) {
    ViolationReport leak = violation(as, fmt::format("{} obtained in {} {} {}", to_string(left.kind),
                                                     to_string(scope.kind()), scope.name(), verdict));
    leak.stacks.push_back({"obtained", stacks().get(left.stack)});
    report(std::move(leak));
  }
  return all.size();
}

bool Machine::fails_on_purpose(FaultKind kind, const char* what) {
  if (!observer_.fails({kind, what, here_id()})) return false;
  note(trace::FaultInjected{.site = what, .occurrence = 1});
  return true;
}

void Machine::hand_over(Scope& scope, Scope& heir) {
  base::Guard guard(scope_lock_);
  scope.for_each([&](Tracked& item) {
    Scope::remove(item);
    heir.add(item);
  });
}

std::vector<RoleStack> Machine::all_stacks() {
  std::vector<RoleStack> stacks;
  for (const SimulatedExecutor::View& view : simulated_->tasks()) {
    auto* thread = static_cast<Thread*>(view.task->local);
    if (thread && thread->housekeeping) continue;
    const char* state = view.current ? "runs" : view.parked ? "waits" : "is ready";
    base::Stack stack;
    if (view.current) {
      stack = here(2);
    } else if (view.frame) {
      stack = base::capture(view.stack, reinterpret_cast<void*>(view.frame));
    }
    stacks.push_back({fmt::format("thread '{}' {}", view.task->name(), state), stack});
  }
  return stacks;
}

void Machine::stuck(SimulatedExecutor::Stuck how) {
  {  // this block frees what the report needs before stop(), which does not return
    Violation what = Violation::Deadlock;
    std::string sentence = "every thread waits for something that will never happen";
    if (how == SimulatedExecutor::Stuck::Hang) {
      what = Violation::Hang;
      sentence = fmt::format("thread '{}' ran {} edges without calling the kernel: a loop that never ends", self().name,
                             options_.hang_edges);
    } else if (how == SimulatedExecutor::Stuck::Livelock) {
      what = Violation::Livelock;
      sentence = "threads run and call the kernel, and nothing comes of it";
    }
    // A pending request says more than the threads do: it names the driver that has it.
    std::vector<RequestStory> requests;
    if (what == Violation::Livelock) requests = irps_->waits().stories(RequestWaits::Which::Overdue);
    if (what == Violation::Deadlock) requests = irps_->waits().stories(RequestWaits::Which::All);
    if (!requests.empty() && what == Violation::Livelock) sentence = requests.front().sentence;
    if (!requests.empty() && what == Violation::Deadlock) sentence += "; " + requests.front().sentence;
    ViolationReport result = violation(what, std::move(sentence));
    if (what == Violation::Deadlock)
      result = ViolationReport{what, std::move(result.sentence), {}, {}};  // of no thread
    if (what == Violation::Livelock) append_stacks(result, requests);
    std::vector<RoleStack> threads = all_stacks();
    result.stacks.insert(result.stacks.end(), threads.begin(), threads.end());
    if (what == Violation::Deadlock) append_stacks(result, requests);
    note(trace::Finding{.rule = to_string(what), .text = result.sentence});
    observer_.report_violation(result);
  }
  stop();
}

void Machine::diverged() {
  diverged_ = true;
  stop();
}

void Machine::edge(EdgeEvent event, uintptr_t) {
  if (event == EdgeEvent::PagedCode) {
    t_edge.highest_guard = 2;  // once is enough
    report_violation(Violation::PagedCodeRaised,
                     fmt::format("code of the PAGE section runs at {}", irql_name(self().irql)));
  } else {
    t_edge.stack_floor = self().stack_floor = 0;
    report_violation(Violation::StackTooDeep,
                     fmt::format("{} uses more than {} bytes of stack",
                                 self().driver_call ? self().driver_call->name : "the driver", options_.stack_bytes));
  }
}

trace::Context Machine::trace_context() {
  Thread* thread = Thread::current();
  return {.time_ns = executor_.now(),
          .thread = thread ? thread->ordinal : 0,
          .processor = thread ? static_cast<uint8_t>(executor_.processor()) : uint8_t{0},
          .irql = thread ? thread->irql : uint8_t{0}};
}

}  // namespace nt
