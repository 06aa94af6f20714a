#include "host/run/run_in_process.h"

#include "host/check/scenario_outcome.h"
#include "host/check/scenario_tally.h"
#include "host/run/debug_threads.h"
#include "host/run/files_copy.h"
#include "host/run/run_seed.h"
#include "host/run/sanitizer_hooks.h"
#include "nt/fault/fault.h"
#include "nt/machine/forwarding_observer.h"

namespace host {

// A place for a debugger's breakpoint: called for each broken rule, on the thread that broke it.
[[gnu::noinline]] void found(const nt::ViolationReport& violation) {
  asm volatile("" ::"r"(&violation), "r"(&drydock_debug_threads) : "memory");  // both stay in the program
}

namespace {

// Tells the debugger before it tells the judge.
class Announcer final : public nt::ForwardingObserver {
 public:
  using nt::ForwardingObserver::ForwardingObserver;

  nt::Then report_violation(const nt::ViolationReport& violation) override {
    found(violation);
    return nt::ForwardingObserver::report_violation(violation);
  }
};

}  // namespace

CheckResult check_in_process(const CheckOptions& options) {
  CheckResult result;
  auto images = Images::load(options.run.driver, options.kmd, options.files);
  if (!images.ok()) {
    result.usage_error = images.error();
    return result;
  }
  nt::install_fault_handlers();
  base::ModuleMap modules;
  verifier::Verifier judge({.drivers = {images.value().file_name()}}, modules);
  Announcer announcer(judge);
  trace::Writer writer;
  ScratchFolder scratch;
  FilesCopy files(options.run.files, scratch.path());
  auto fresh = files.fresh();
  if (!fresh.ok()) {
    result.usage_error = fresh.error();
    return result;
  }
  SeedOptions seed_options;
  seed_options.run = options.run;
  seed_options.run.files = fresh.value().string();
  seed_options.trace = true;  // for the history of what is found
  seed_options.observer = &announcer;
  SeedResult ended = run_seed(images.value(), *options.scenarios[0], options.first_seed, seed_options, judge, writer);
  if (ended.divergence) result.divergence = ended.divergence->what;
  const bool failed = verifier::has_error(judge.findings());
  ScenarioTally tally(options.scenarios[0]->name, options.first_seed, 1);
  tally.add(options.first_seed, {.failing = failed,
                                 .warned = !failed && !judge.findings().empty(),
                                 .skipped = ended.skipped,
                                 .incomplete = ended.incomplete,
                                 .idle = ended.idle,
                                 .activity = ended.activity});
  tally.count_next();
  tally.result().errors = failed;
  host::judge(tally.result());
  result.scenarios.push_back(std::move(tally.result()));
  for (const verifier::Finding& finding : judge.findings())
    result.findings.push_back({finding, true, {}, {finding.run.scenario}});
  return result;
}

}  // namespace host
