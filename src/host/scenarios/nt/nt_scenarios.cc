#include "host/scenarios/nt/nt_scenarios.h"

#include "host/scenarios/nt/nt_stack.h"

namespace host {
namespace {

constexpr base::TimeNs kSecond = 1'000'000'000;

// Lets the driver's own threads, timers and DPCs go on for a while.
void let_run(nt::Machine& machine, base::TimeNs duration) { machine.executor().sleep_for(duration); }

// Calls DriverEntry. False: it failed, and nothing can be tried.
bool load(ScenarioContext& context, NtDriver& driver) {
  NTSTATUS status = driver.load();
  if (status < 0) context.leave_incomplete("DriverEntry failed with " + hex(status));
  return status >= 0;
}

void load_and_unload(ScenarioContext& context) {
  NtDriver driver(context.machine, context.image);
  if (load(context, driver)) driver.unload();
}

void load_run_unload(ScenarioContext& context) {
  NtDriver driver(context.machine, context.image);
  if (!load(context, driver)) return;
  let_run(context.machine, 10 * kSecond);
  driver.unload();
}

// Unloaded while something is still going on: from a microsecond to ten seconds after it was loaded.
void unload_any_time(ScenarioContext& context) {
  NtDriver driver(context.machine, context.image);
  if (!load(context, driver)) return;
  base::Executor& executor = context.machine.executor();
  base::TimeNs magnitude = base::TimeNs{1'000} << executor.choose(24);
  let_run(context.machine, magnitude + executor.choose(magnitude));
  driver.unload();
}

// The seed says which allocation fails, so that successive seeds walk through the driver's failure paths.
void low_memory(ScenarioContext& context) {
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 32));
  load_run_unload(context);
}

}  // namespace

std::vector<Scenario> nt_scenarios() {
  return {
      {"nt/load-unload", "DriverEntry, then DriverUnload at once", &load_and_unload},
      {"nt/run", "DriverEntry, ten seconds of virtual time, DriverUnload", &load_run_unload},
      {"nt/unload-any-time", "DriverEntry, a while that the seed chooses, DriverUnload", &unload_any_time},
      {"nt/low-memory", "as nt/run, and one pool allocation fails: the seed says which", &low_memory,
       Scenario::Needs::Nt, true},
  };
}

}  // namespace host
