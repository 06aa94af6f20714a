#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/debug/stack_table.h"
#include "base/executor.h"
#include "nt/machine/live_executor.h"
#include "nt/machine/machine_observer.h"
#include "nt/machine/scope.h"
#include "nt/machine/simulated_executor.h"
#include "nt/machine/thread.h"
#include "trace/writer.h"

namespace nt {

// The parts of a machine. A file that uses a part includes its header, and is not compiled again when another part
// changes.
class DeviceNames;
class DeviceObjects;
class Dispatcher;
class DmaAdapters;
class DpcQueues;
class Files;
class HostFiles;
class Interrupts;
class Irps;
class KernelHandles;
class Mdls;
class ObjectReferences;
class PhysicalMemory;
class Pool;
class Registers;
class Registry;
class StuckWatch;
class Timers;
class WorkQueues;

// Which executor a machine runs on.
enum class Pace : uint8_t {
  Simulated,  // virtual time, seeded choice: checks, tests, fuzzing
  Live,       // OS threads, real time: clients and benchmarks; a violation that stops the run ends the process
};

struct MachineOptions {
  Pace pace = Pace::Simulated;
  uint32_t processors = 2;
  uint64_t seed = 0;
  PolicyKind policy = PolicyKind::RoundRobin;
  uint64_t hang_edges = SimulatedExecutor::Options{}.hang_edges;
  uint64_t livelock_points = SimulatedExecutor::Options{}.livelock_points;
  base::TimeNs time_limit = SimulatedExecutor::Options{}.time_limit;
  const Schedule* replay = nullptr;  // play this back
  Schedule* record = nullptr;        // write down what was chosen
  size_t stack_bytes = 24 * 1024;    // what a kernel stack holds on x64 Windows; 0: not checked
  uint32_t graphics_version = 0;     // of the graphics kernel's interface that drivers are offered; 0: the newest
  std::string files_folder;          // of the host; holds the machine's files. Empty: it has none
  uint32_t map_registers = 4096;     // the most that one DMA adapter gets
  // LiveExecutor only. A call that takes longer than this many seconds is stuck: it is reported and the run stops. 0:
  // no limit.
  uint32_t stuck_limit_s = 60;
  // LiveExecutor only. Called once when the run stops, before the process ends, on the thread that stops it.
  std::function<void()> on_live_stop = {};
};

// The options of a new thread. All of them are set before the thread runs.
struct NewThread {
  std::string name;
  std::function<void()> body;
  uint32_t processor = base::kAnyProcessor;  // ties it to one: the idle threads
  Scope* scope = nullptr;                    // null: its creator's
  uint32_t critical_regions = 0;             // the count that it begins with
  bool system = false;                       // made by PsCreateSystemThread
  bool housekeeping = false;                 // the machine's own: reports leave it out
  bool last = false;                         // ends after the threads that are not `last`
};

// What layers above keep on a machine, one of each. nt does not know their types.
enum class MachinePart : uint8_t {
  Graphics,   // dxgk::Kernel
  Runtime,    // umd::Runtime, which user-mode drivers call
  Streaming,  // ks::System
};
inline constexpr size_t kMachinePartCount = static_cast<size_t>(MachinePart::Streaming) + 1;

// The computer that a driver sees: processors with an IRQL each, threads, time, memory, interrupts. Built for one run.
// A driver acts on it through the NT functions (ke_*.cc, ex_*.cc, …) only; it acts on a driver through driver calls
// (driver_call.h) only. One at a time per OS thread.
class Machine final : private SimulatedExecutor::Owner {
  enum class Phase : uint8_t { Running, Ending, Halting };

 public:
  // `observer` and `trace` outlive it.
  Machine(const MachineOptions& options, MachineObserver& observer, trace::Writer& trace);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  static Machine* current() {
    Thread* thread = Thread::current();
    return thread ? &thread->machine : nullptr;
  }

  // Runs `body` as the machine's first thread, at PASSIVE_LEVEL, until it returns or the run is stopped. With the
  // LiveExecutor: on the calling OS thread; returns when every thread that was made has ended.
  enum class Ended : uint8_t { Returned, Stopped, Diverged };
  Ended run(const std::function<void()>& body);

  // LiveExecutor only. Makes the calling OS thread, a client's own, a thread of the machine for as long as this lives.
  // Only while run() runs.
  class [[nodiscard]] Visit {
   public:
    Visit(Machine& machine, const std::string& name);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    LiveExecutor::Attached attached_;
    Thread& thread_;
  };

  // Ends the run at once, from anywhere in it. Threads that are left never run again. LiveExecutor: ends the process.
  [[noreturn]] void stop();

  // --- Threads ---
  // A thread's object lives as long as the machine.
  Thread& create_thread(NewThread wanted);
  Thread& create_thread(std::string name, std::function<void()> body) {
    return create_thread(NewThread{.name = std::move(name), .body = std::move(body)});
  }
  Thread& self() { return *Thread::current(); }
  // Ends the calling system thread: unwinds to its start without running the driver's remaining code.
  [[noreturn]] void exit_thread();

  // --- IRQL ---
  // Changes the current thread's IRQL; lowering it delivers the pending DPCs and interrupts.
  void raise_irql(KIRQL to);
  void lower_irql(KIRQL to);

  // --- Reports ---
  // Reports a broken rule. Returns only if the observer wants to go on; the driver's state is undefined from then on.
  void report_violation(Violation what, std::string sentence, std::vector<RoleStack> more = {}, Subject subject = {});
  bool broken() const { return broken_.load(std::memory_order_relaxed); }
  // The same for a fault: `pc` and `frame` say where it was.
  void report_violation_at(Violation what, std::string sentence, uintptr_t pc, uintptr_t frame) {
    report(violation_at(what, std::move(sentence), pc, frame));
  }
  // The same with a stack that the caller has found; `more` as for report_violation().
  void report_violation_with(Violation what, std::string sentence, const base::Stack& stack,
                             std::vector<RoleStack> more);
  // The violation alone, for callers that report it themselves. `pc` 0: the frame's own return address comes first.
  ViolationReport violation_at(Violation what, std::string sentence, uintptr_t pc, uintptr_t frame);
  [[noreturn]] void bug_check(uint32_t code, uint64_t p1, uint64_t p2, uint64_t p3, uint64_t p4);
  base::StackBounds current_stack();
  base::Stack here(uint32_t skip = 0);  // the current thread's stack
  base::StackId here_id();              // the same stack, kept in the machine's table
  // Puts something on, or takes it off, the list of what the driver has obtained in the current scope.
  void track(Tracked& item);
  void untrack(Tracked& item);
  // Audits a scope that ends now: each thing that is left in it is a finding. Returns how many were left.
  size_t end_scope(Scope& scope, Violation as = Violation::Leak) {
    return audit(scope, as, kAllKinds, "was never given back");
  }
  // The same for some kinds of things, before the scope ends; `verdict` completes the sentence.
  size_t audit(Scope& scope, Violation as, uint32_t kinds, const char* verdict);
  // What is left in a scope belongs to `heir` from now on.
  void hand_over(Scope& scope, Scope& heir);

  // What a layer above keeps on this machine, for what a driver calls without naming it; null: none. T says which part
  // it is: T::kMachinePart.
  template <typename T>
  T* part() const {
    return static_cast<T*>(parts_[static_cast<size_t>(T::kMachinePart)]);
  }
  template <typename T>
  void set_part(T* part) {
    static_assert(std::is_same_v<decltype(T::kMachinePart), const MachinePart>);
    parts_[static_cast<size_t>(T::kMachinePart)] = part;
  }

  bool traces() const { return trace_.on(); }
  // Whether the observer wants this operation to fail now. Called at each place that can fail.
  bool fails(FaultKind kind, const char* what) {
    return __builtin_expect(observer_.wants_faults(), 0) && fails_on_purpose(kind, what);
  }
  // Writes one event to the trace, if it is on.
  template <typename Event>
  void note(const Event& event) {
    if (__builtin_expect(trace_.on(), 0)) trace_.emit_as(trace_context(), event);
  }

  base::Executor& executor() { return executor_; }
  SimulatedExecutor& simulated() {
    CHECK(simulated_);
    return *simulated_;
  }
  bool live() const { return live_ != nullptr; }
  // The machine's own threads end when this is true. LiveExecutor only: a simulated run abandons them.
  bool ending() const { return phase_.load() != Phase::Running; }
  // The idle threads and the clock end when this is true: the other threads need them until they have ended.
  bool halting() const { return phase_.load() == Phase::Halting; }
  // LiveExecutor only.
  StuckWatch& stuck_watch() { return *stuck_watch_; }
  Dispatcher& dispatcher() { return *dispatcher_; }
  DpcQueues& dpcs() { return *dpcs_; }
  Timers& timers() { return *timers_; }
  Interrupts& interrupts() { return *interrupts_; }
  Registers& registers() { return *registers_; }
  KernelHandles& handles() { return *handles_; }
  ObjectReferences& references() { return *references_; }
  DeviceObjects& devices() { return *devices_; }
  DeviceNames& device_names() { return *device_names_; }
  Irps& irps() { return *irps_; }
  Files& files() { return *files_; }
  WorkQueues& work_queues() { return *work_queues_; }
  Pool& pool() { return *pool_; }
  PhysicalMemory& physical() { return *physical_; }
  Mdls& mdls() { return *mdls_; }
  DmaAdapters& dma() { return *dma_; }
  Registry& registry() { return *registry_; }
  HostFiles& host_files() { return *host_files_; }
  MachineObserver& observer() { return observer_; }
  // The stacks that here_id() has kept. Any thread.
  class KeptStacks {
   public:
    explicit KeptStacks(Machine& machine) : machine_(machine) {}
    base::Stack get(base::StackId id) const;

   private:
    Machine& machine_;
  };
  KeptStacks stacks() { return KeptStacks(*this); }
  Scope& root_scope() { return root_scope_; }
  const MachineOptions& options() const { return options_; }
  // All threads that were made so far, in the order of creation.
  std::vector<Thread*> threads();
  // Counts one more thread of a driver; returns the new number.
  uint32_t count_system_thread() { return system_threads_.fetch_add(1, std::memory_order_relaxed) + 1; }

  // Delivers pending interrupts and DPCs on the current thread, as far as its IRQL allows.
  void deliver();

 private:
  // SimulatedExecutor::Owner
  void at_point(base::Point point) override;
  void switched(base::Task& to) override;
  void picked(base::Point point, uint32_t next, uint32_t runnable) override;
  [[noreturn]] void stuck(SimulatedExecutor::Stuck how) override;
  [[noreturn]] void diverged() override;
  void edge(EdgeEvent event, uintptr_t frame) override;

  friend class StuckWatch;

  bool fails_on_purpose(FaultKind kind, const char* what);
  Thread& add_thread(std::string name);
  static void thread_main(void* raw);
  void run_thread(Thread& thread);
  void run_live(Thread& main);
  void enter_phase(Phase phase);
  void give_body(Thread& thread);
  void check_thread_end(Thread& thread);
  static void refresh_edge_limits(const Thread& thread);
  trace::Context trace_context();
  std::vector<RoleStack> all_stacks();
  ViolationReport violation(Violation what, std::string sentence);
  void report(ViolationReport found);

  MachineOptions options_;
  MachineObserver& observer_;
  trace::Writer& trace_;
  base::Mutex<base::LockRank::Pool> scope_lock_;
  base::StackTable stacks_ GUARDED_BY(scope_lock_);
  uint32_t tracked_ordinal_ GUARDED_BY(scope_lock_) = 0;
  Scope root_scope_;
  std::unique_ptr<SimulatedExecutor> simulated_;  // one of the two
  std::unique_ptr<LiveExecutor> live_;
  base::Executor& executor_;
  std::unique_ptr<Pool> pool_;
  std::unique_ptr<PhysicalMemory> physical_;
  std::unique_ptr<Mdls> mdls_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<HostFiles> host_files_;  // outlives the handles
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<DpcQueues> dpcs_;
  std::unique_ptr<Timers> timers_;
  std::unique_ptr<Interrupts> interrupts_;
  std::unique_ptr<Registers> registers_;
  std::unique_ptr<KernelHandles> handles_;
  std::unique_ptr<ObjectReferences> references_;
  std::unique_ptr<DeviceObjects> devices_;
  std::unique_ptr<DeviceNames> device_names_;
  std::unique_ptr<Irps> irps_;
  std::unique_ptr<Files> files_;
  std::unique_ptr<DmaAdapters> dma_;
  std::unique_ptr<WorkQueues> work_queues_;
  std::deque<std::unique_ptr<Thread>> threads_ GUARDED_BY(scope_lock_);
  std::atomic<uint32_t> system_threads_{0};
  std::unique_ptr<StuckWatch> stuck_watch_;  // LiveExecutor only
  void* parts_[kMachinePartCount] = {};
  bool diverged_ = false;
  std::atomic<Phase> phase_{Phase::Running};
  std::atomic<bool> broken_{false};
};

}  // namespace nt
