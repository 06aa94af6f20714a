#include "host/run_in_process.h"

#include "host/debug_threads.h"
#include "host/files_copy.h"
#include "host/run_seed.h"
#include "host/sanitizer_hooks.h"
#include "nt/fault.h"

namespace host {

// A place for a debugger's breakpoint: called for each broken rule, on the thread that broke it.
[[gnu::noinline]] void found(const nt::Breach& breach) {
  asm volatile("" ::"r"(&breach), "r"(&drydock_debug_threads) : "memory");  // both stay in the program
}

namespace {

// Tells the debugger before it tells the judge.
class Announcer final : public nt::Probe {
 public:
  explicit Announcer(nt::Probe& judge) : judge_(judge) {}
  nt::Then broke(const nt::Breach& breach) override {
    found(breach);
    return judge_.broke(breach);
  }
  bool wants_faults() const override { return judge_.wants_faults(); }
  bool fails(const nt::FaultSite& site) override { return judge_.fails(site); }
  bool wants_locks() const override { return judge_.wants_locks(); }
  void lock_acquiring(const nt::LockEvent& event) override { judge_.lock_acquiring(event); }
  void lock_released(const nt::LockEvent& event) override { judge_.lock_released(event); }
  void memory_gone(uintptr_t lo, uintptr_t hi) override { judge_.memory_gone(lo, hi); }
  void debug_print(std::string_view text) override { judge_.debug_print(text); }

 private:
  nt::Probe& judge_;
};

}  // namespace

CheckResult check_in_process(const CheckOptions& options) {
  CheckResult result;
  auto images = Images::load(options.driver, options.kmd, options.device, &result.usage_error);
  if (!images) return result;
  nt::install_fault_handlers();
  base::ModuleMap modules;
  verifier::Verifier judge({.drivers = {images->file_name()}}, modules);
  Announcer announcer(judge);
  trace::Writer writer;
  SeedOptions seed_options;
  seed_options.driver = options.driver;
  seed_options.processors = options.processors;
  ScratchFolder scratch;
  FilesCopy files(options.files, scratch.path());
  auto fresh = files.fresh(&result.usage_error);
  if (!fresh.ok()) return result;
  seed_options.files = fresh.value();
  seed_options.profile = options.profile;
  seed_options.fault = options.fault;
  seed_options.hang_edges = options.hang_edges;
  seed_options.trace = true;  // for the history of what is found
  seed_options.probe = &announcer;
  if (options.replay) seed_options.replay = &*options.replay;
  SeedResult ended = run_seed(*images, *options.scenarios[0], options.first_seed, seed_options, judge, writer);
  if (ended.divergence) result.divergence = ended.divergence->what;
  const bool failed = verifier::has_error(judge.findings());
  result.scenarios.push_back({.name = options.scenarios[0]->name,
                              .seeds_run = 1,
                              .failing_seeds = failed ? 1u : 0u,
                              .warned_seeds = failed || judge.findings().empty() ? 0u : 1u,
                              .ddi_calls = ended.ddi_calls});
  for (const verifier::Finding& finding : judge.findings()) result.findings.push_back({finding, true, {}});
  return result;
}

}  // namespace host
