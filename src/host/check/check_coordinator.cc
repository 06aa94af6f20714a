#include "host/check/check_coordinator.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/sanitizer.h"
#include "verifier/finding/finding_json.h"
#include "verifier/rules/rules.h"

namespace host {
namespace {

constexpr uint64_t kBatchSeeds = 64;
constexpr uint64_t kTasteSeeds = 2;
constexpr uint64_t kMostFaults = 100'000;
constexpr uint64_t kSweepSeeds = 16;  // that a sweep tries, for one that comes to its end

uint64_t spent(const ScenarioResult& scenario) {
  return scenario.failing_seeds + kHangingSeed * scenario.hanging_seeds;
}

}  // namespace

CheckCoordinator::CheckCoordinator(const CheckOptions& options, const Watch& watch) : options_(options), watch_(watch) {
  for (const Scenario* scenario : options.scenarios) result_.scenarios.push_back({.name = scenario->name});
}

bool CheckCoordinator::has_failed_enough(const ScenarioResult& scenario) const {
  return spent(scenario) >= options_.max_failing_seeds;
}

// First a taste of every scenario: most faults show at once, and the user sees them at once.
void CheckCoordinator::plan_exploration() {
  uint64_t taste = std::min(kTasteSeeds, options_.seeds);
  for (uint32_t i = 0; i < options_.scenarios.size(); ++i) plan_seeds(i, 0, taste);
  for (uint32_t i = 0; i < options_.scenarios.size(); ++i) {
    for (uint64_t done = taste; done < options_.seeds; done += kBatchSeeds) {
      plan_seeds(i, done, std::min(kBatchSeeds, options_.seeds - done));
    }
  }
  if (options_.sweep_faults) plan_sweep();
}

void CheckCoordinator::plan_seeds(uint32_t scenario, uint64_t done, uint64_t count) {
  BatchCommand command;
  command.scenario = scenario;
  command.first = options_.first_seed + done;
  command.count = count;
  command.fault = options_.run.fault;
  queue_.push_back({.command = command});
}

// A scenario is swept by one worker, which ends when it no longer comes to a new place.
void CheckCoordinator::plan_sweep() {
  for (uint32_t i = 0; i < options_.scenarios.size(); ++i) {
    if (!options_.scenarios[i]->bears_faults) continue;
    BatchCommand command;
    command.scenario = i;
    command.count = kMostFaults;
    command.sweep = true;
    command.seed = options_.first_seed;
    queue_.push_back({.command = command});
  }
}

// The seed of the sweep stops at a finding of its own: the next one may not. If all do, the first is swept as far as it
// comes, and the report says so.
void CheckCoordinator::sweep_another_seed(const Batch& batch) {
  BatchCommand command = batch.command;
  const uint64_t last = options_.first_seed + std::min(kSweepSeeds, options_.seeds) - 1;
  if (command.seed < last) {
    ++command.seed;
  } else {
    command.seed = options_.first_seed;
    command.first = 1;
    result_.incomplete.push_back(
        fmt::format("{}: every seed stops at a finding, and nothing that comes after it was made to fail",
                    options_.scenarios[command.scenario]->name));
  }
  queue_.push_front({.command = command});
}

void CheckCoordinator::plan_confirmation() {
  if (options_.sweep_faults) result_.faults = {injected_, places_.size() - tried_.size()};
  if (left_out_) result_.left_out = fmt::format("{} seeds, when {} s were over", left_out_, options_.time_limit_s);
  for (const verifier::Finding& finding : findings_.findings()) result_.findings.push_back({finding, false, {}});
  std::stable_sort(result_.findings.begin(), result_.findings.end(),
                   [](const SeenFinding& a, const SeenFinding& b) { return a.finding.run < b.finding.run; });
  if (fatal()) return;
  for (size_t i = 0; i < result_.findings.size(); ++i) {
    const verifier::RunContext& run = result_.findings[i].finding.run;
    BatchCommand command;
    command.scenario = scenario_index(run.scenario);
    command.first = run.seed;
    command.count = 1;
    command.max_failing = 1;
    command.keep_schedule = options_.keep_schedules;
    command.trace = base::kSanitizer != base::Sanitizer::Thread;  // it would put threads in order
    command.fault = run.fault;
    queue_.push_back({.command = command, .confirms = i});
  }
}

uint32_t CheckCoordinator::scenario_index(const std::string& name) const {
  for (uint32_t i = 0; i < options_.scenarios.size(); ++i) {
    if (name == options_.scenarios[i]->name) return i;
  }
  CHECK_MSG(false, "a finding of a scenario that was not run");
  return 0;
}

std::optional<Batch> CheckCoordinator::next(Time time) {
  while (!queue_.empty()) {
    Batch batch = std::move(queue_.front());
    queue_.pop_front();
    if (fatal()) continue;
    if (batch.confirms == Batch::kNothing && time == Time::Over) {
      left_out_ += batch.command.sweep ? 1 : batch.command.count;
      continue;
    }
    if (!batch.exploring()) return batch;
    ScenarioResult& scenario = result_.scenarios[batch.command.scenario];
    if (has_failed_enough(scenario)) {
      scenario.cut_short = true;
      continue;
    }
    batch.command.max_failing = options_.max_failing_seeds - static_cast<uint32_t>(spent(scenario));
    return batch;
  }
  return std::nullopt;
}

void CheckCoordinator::give_up() {
  if (!queue_.empty() && !fatal()) result_.incomplete.push_back("no process is left that can run the driver");
  queue_.clear();
}

std::optional<WorkerEnd> CheckCoordinator::take_line(Batch& batch, std::string_view line) {
  Json message = Json::parse(line, nullptr, false);
  if (!message.is_object()) return std::nullopt;
  std::string type = message.value("type", "");
  if (type == "exit") {
    return WorkerEnd{.code = message.value("code", -1),
                     .signal = message.value("signal", 0),
                     .seed = message.value("seed", uint64_t{0})};
  }
  if (type == "error") {
    result_.usage_error = message.value("text", "");
  } else if (type == "finding") {
    if (auto finding = verifier::from_json_value(message["finding"]); finding.ok()) {
      take_finding(batch, finding.take());
    } else {
      result_.incomplete.push_back("a worker's finding could not be read: " + finding.error());
    }
  } else if (type == "schedule" && batch.confirms != Batch::kNothing) {
    result_.findings[batch.confirms].schedule = message.value("text", "");
  } else if (type == "fault") {
    take_fault(message);
  } else if (type == "stopped") {
    batch.stopped = true;
  } else if (type == "diverged") {
    result_.divergence = message.value("text", "");
  } else if (type == "trace") {
    result_.incomplete.push_back(message.value("text", ""));
  } else if (type == "seed" && batch.exploring()) {
    take_seed(batch, message);
  } else if (type == "end") {
    batch.said_end = true;
  }
  return std::nullopt;
}

void CheckCoordinator::take_seed(Batch& batch, const Json& message) {
  ScenarioResult& scenario = result_.scenarios[batch.command.scenario];
  const uint64_t seed = message.value("seed", uint64_t{0});
  batch.told = seed;
  batch.told_failing = message.value("failing", false);
  ++scenario.seeds_run;
  const Json activity = message.value("activity", Json::object());
  for (const verifier::ActivityCount& one : verifier::kActivityCounts) {
    scenario.activity.*one.count += activity.value(one.key, uint64_t{0});
  }
  if (batch.told_failing) ++scenario.failing_seeds;
  if (message.value("hung", false)) ++scenario.hanging_seeds;
  if (message.value("warned", false)) ++scenario.warned_seeds;
  if (message.contains("hash")) {
    result_.hashes[scenario.name][seed] = {.trace = message.value("hash", uint64_t{0}),
                                           .findings = message.value("findings_hash", uint64_t{0})};
  }
  if (watch_.progress) {
    watch_.progress(*options_.scenarios[batch.command.scenario], scenario.seeds_run, options_.seeds);
  }
}

void CheckCoordinator::take_finding(const Batch& batch, verifier::Finding finding) {
  if (batch.confirms == Batch::kNothing) {
    size_t before = findings_.findings().size();
    findings_.add(std::move(finding));
    if (watch_.found && findings_.findings().size() > before) watch_.found(findings_.findings().back());
  } else if (SeenFinding& seen = result_.findings[batch.confirms];
             verifier::key_of(finding) == verifier::key_of(seen.finding)) {
    seen.confirmed = true;
    seen.finding.history = finding.history;  // the run that confirms is traced
  }
}

void CheckCoordinator::take_fault(const Json& message) {
  for (const Json& place : message["places"]) places_.insert(place.get<uint64_t>());
  if (!message.contains("place")) return;
  ++injected_;
  tried_.insert(message["place"].get<uint64_t>());
}

void CheckCoordinator::worker_ended(const Batch& batch, const WorkerEnd& end) {
  ScenarioResult& scenario = result_.scenarios[batch.command.scenario];
  scenario.milliseconds += end.milliseconds;
  if (batch.stopped) return sweep_another_seed(batch);
  if (batch.said_end && end.code == kWorkerDone) {
    scenario.cut_short |= has_failed_enough(scenario) && scenario.seeds_run < options_.seeds;
    return;
  }
  const bool planned = batch.said_end && end.code == kWorkerTainted;
  if (!planned) unexpected_death(batch, end);
  if (batch.confirms == Batch::kNothing) resume(batch, end.seed + 1);
}

void CheckCoordinator::zygote_died(const Batch& batch, std::optional<uint64_t> at) {
  if (!fatal()) result_.incomplete.push_back("the process that had loaded the driver died");
  if (!at) {
    queue_.push_front({.command = batch.command, .confirms = batch.confirms});
  } else if (batch.confirms == Batch::kNothing) {
    resume(batch, *at + 1);
  }
}

// The batch from `first` on is the next to run.
void CheckCoordinator::resume(const Batch& batch, uint64_t first) {
  BatchCommand rest = batch.command;
  const uint64_t end = rest.first + rest.count;
  if (first >= end) return;
  rest.first = first;
  rest.count = end - first;
  queue_.push_front({.command = rest});
}

// A seed that ended in its worker's death failed. It is counted once, whether or not the worker told of it before.
void CheckCoordinator::count_death(const Batch& batch, uint64_t seed) {
  if (!batch.exploring()) return;
  ScenarioResult& counts = result_.scenarios[batch.command.scenario];
  const bool told = batch.told == seed;
  if (!told) ++counts.seeds_run;
  if (!told || !batch.told_failing) ++counts.failing_seeds;
}

// A worker died without saying why: killed for being too slow, or by something that no handler could catch.
void CheckCoordinator::unexpected_death(const Batch& batch, const WorkerEnd& end) {
  const Scenario& scenario = *options_.scenarios[batch.command.scenario];
  const bool sweep = batch.command.sweep;
  const uint64_t seed = sweep ? batch.command.seed : end.seed;
  RunOptions options = options_.run;
  options.fault = sweep ? static_cast<uint32_t>(end.seed) : batch.command.fault;
  count_death(batch, end.seed);
  if (end.killed_for_time) {
    verifier::Finding hang = verifier::finding_for(nt::Violation::Hang);
    hang.sentence = fmt::format("the driver did not return within {} s of real time", options_.wall_limit_s);
    hang.run = context_of(options, scenario.name, seed);
    take_finding(batch, std::move(hang));
    return;
  }
  std::string run = fmt::format("{} --seed {}", scenario.name, seed);
  if (options.fault) run += fmt::format(" --fault {}", options.fault);
  if (end.code == kWorkerOurFault || end.signal == SIGABRT) {
    result_.our_faults.push_back(run);
    return;
  }
  std::string how = end.signal ? fmt::format("signal {} ({})", end.signal, strsignal(end.signal))
                               : fmt::format("exit code {}", end.code);
  result_.incomplete.push_back(fmt::format("{}: the process died with {}", run, how));
}

}  // namespace host
