#include "host/check/check_coordinator.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/check.h"
#include "base/sanitizer.h"
#include "host/check/scenario_outcome.h"
#include "host/run/floors.h"
#include "verifier/finding/finding_json.h"
#include "verifier/rules/rules.h"

namespace host {
namespace {

constexpr uint64_t kBatchSeeds = 64;
constexpr uint64_t kTasteSeeds = 2;
constexpr uint64_t kFillSeeds = 16;  // few: when the time is over, a batch that has begun is finished
constexpr uint64_t kMostFaults = 100'000;
constexpr uint64_t kSweepSeeds = 16;  // that a sweep tries, for one that comes to its end

// As the user asked for this rule; the last that was asked counts.
verifier::Action action_for(const verifier::Finding& finding, const CheckOptions& options) {
  verifier::Action action = verifier::Action::ByClass;
  for (const auto& [rule, asked] : options.policy) {
    if (verifier::find_rule(rule) == verifier::find_rule(finding.rule)) action = asked;
  }
  return action;
}

}  // namespace

CheckCoordinator::CheckCoordinator(const CheckOptions& options, const Watch& watch)
    : options_(options), watch_(watch), places_(options.scenarios.size()) {
  for (const Scenario* scenario : options.scenarios) {
    tallies_.emplace_back(scenario->name, options.first_seed, options.max_failing_seeds);
  }
}

// --- What is run ---

// First a taste of every scenario: most faults show at once, and the user sees them at once.
void CheckCoordinator::plan_exploration() {
  uint64_t taste = std::min(kTasteSeeds, options_.seeds);
  for (uint32_t i = 0; i < options_.scenarios.size(); ++i) plan_seeds(i, 0, taste);
  planned_ = options_.seeds;
  rest_ = {.scenario = 0, .done = taste, .swept = !options_.sweep_faults};
}

// The next batch of what exploration has left, scenario by scenario, and then the sweeps: there may be more batches
// than memory. False: nothing is left.
bool CheckCoordinator::plan_rest() {
  if (!exploring_) return false;
  for (; rest_.scenario < tallies_.size(); ++rest_.scenario, rest_.done = std::min(kTasteSeeds, options_.seeds)) {
    if (rest_.done >= options_.seeds || tallies_[rest_.scenario].has_failed_enough()) continue;
    const uint64_t count = std::min(kBatchSeeds, options_.seeds - rest_.done);
    plan_seeds(rest_.scenario, rest_.done, count);
    rest_.done += count;
    return true;
  }
  if (std::exchange(rest_.swept, true)) return false;
  plan_sweep();
  return !queue_.empty();
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

// More seeds of every scenario that has not failed enough. False: there is none.
bool CheckCoordinator::plan_further_round() {
  for (uint32_t i = 0; i < tallies_.size(); ++i) {
    if (!tallies_[i].has_failed_enough()) plan_seeds(i, planned_, kFillSeeds);
  }
  planned_ += kFillSeeds;
  return !queue_.empty();
}

void CheckCoordinator::plan_confirmation() {
  end_exploration();
  if (fatal() || result_.interrupted) return;
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
  for (;;) {
    if (time == Time::Over || fatal()) leave_out_rest();
    if (queue_.empty() && !plan_rest()) {
      const bool further = options_.fill_time && exploring_ && time == Time::Left && !fatal();
      if (!further || !plan_further_round()) return std::nullopt;
    }
    Batch batch = std::move(queue_.front());
    queue_.pop_front();
    if (fatal()) continue;
    if (batch.confirms == Batch::kNothing && time == Time::Over) {
      leave_out(batch);
      continue;
    }
    if (!batch.exploring()) return batch;
    // What fails behind the seeds that are counted so far may be too much, never too little: a worker that ends its
    // batch early has come to the seed at which enough have failed, or is behind it.
    batch.command.max_failing = tally_of(batch).failures_left();
    if (batch.command.max_failing) return batch;
  }
}

// Where time is to be filled any number of seeds is as many as were asked for.
void CheckCoordinator::leave_out(const Batch& batch) {
  if (batch.command.sweep) {
    ++result_.left_out;
  } else {
    leave_out_seeds(batch.command.count);
  }
}

void CheckCoordinator::leave_out_seeds(uint64_t count) {
  if (!options_.fill_time || result_.interrupted) result_.left_out += count;
}

// All that is not planned yet, at once: it may be more batches than can be planned in the user's time.
void CheckCoordinator::leave_out_rest() {
  if (!exploring_) return;
  for (; rest_.scenario < tallies_.size(); ++rest_.scenario, rest_.done = std::min(kTasteSeeds, options_.seeds)) {
    if (!fatal() && !tallies_[rest_.scenario].has_failed_enough()) leave_out_seeds(options_.seeds - rest_.done);
  }
  if (std::exchange(rest_.swept, true)) return;
  plan_sweep();
}

void CheckCoordinator::give_up() {
  if ((!queue_.empty() || plan_rest()) && !fatal()) {
    result_.incomplete.push_back("no process is left that can run the driver");
  }
  queue_.clear();
  rest_ = {.scenario = static_cast<uint32_t>(tallies_.size()), .done = 0, .swept = true};
}

void CheckCoordinator::interrupt(const std::vector<Batch*>& under_way) {
  result_.interrupted = true;
  leave_out_rest();
  for (const Batch& batch : queue_) {
    if (batch.confirms == Batch::kNothing) leave_out(batch);
  }
  queue_.clear();
  for (Batch* batch : under_way) {
    if (batch->confirms != Batch::kNothing) continue;
    add_told(*batch);
    if (batch->exploring()) result_.left_out += batch->command.count - batch->ended;
  }
}

// --- What workers say ---

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
    take_fault(batch, message);
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
  add_told(batch);
  SeedRecord record{.failing = message.value("failing", false),
                    .hung = message.value("hung", false),
                    .warned = message.value("warned", false),
                    .skipped = message.value("skipped", ""),
                    .incomplete = message.value("incomplete", ""),
                    .idle = message.value("idle", ""),
                    .findings = std::exchange(batch.findings, {})};
  const Json activity = message.value("activity", Json::object());
  for (const verifier::ActivityCount& one : verifier::kActivityCounts) {
    record.activity.*one.count = activity.value(one.key, uint64_t{0});
  }
  if (message.contains("hash")) {
    record.hashes = {.trace = message.value("hash", uint64_t{0}),
                     .findings = message.value("findings_hash", uint64_t{0})};
  }
  batch.told = {message.value("seed", uint64_t{0}), std::move(record)};
  ++batch.ended;
}

void CheckCoordinator::add_told(Batch& batch) {
  if (!batch.told) return;
  auto [seed, record] = *std::exchange(batch.told, std::nullopt);
  tally_of(batch).add(seed, std::move(record));
  count_seeds(batch.command.scenario);
}

void CheckCoordinator::count_seeds(uint32_t scenario) {
  ScenarioTally& tally = tallies_[scenario];
  const std::string& name = tally.result().name;
  while (auto counted = tally.count_next()) {
    auto& [seed, record] = *counted;
    for (verifier::Finding& finding : record.findings) keep_finding(scenario, std::move(finding));
    if (record.hashes) result_.hashes[name][seed] = *record.hashes;
    if (watch_.progress) {
      watch_.progress(*options_.scenarios[scenario], tally.result().seeds_run, options_.fill_time ? 0 : planned_);
    }
  }
}

void CheckCoordinator::take_finding(Batch& batch, verifier::Finding finding) {
  if (batch.exploring()) {
    batch.findings.push_back(std::move(finding));
  } else if (batch.command.sweep) {
    keep_finding(batch.command.scenario, std::move(finding));
  } else if (SeenFinding& seen = result_.findings[batch.confirms];
             verifier::key_of(finding) == verifier::key_of(seen.finding)) {
    seen.confirmed = true;
    seen.finding.history = finding.history;  // the run that confirms is traced
  }
}

void CheckCoordinator::keep_finding(uint32_t scenario, verifier::Finding finding) {
  seen_in_[verifier::key_of(finding)].insert(options_.scenarios[scenario]->name);
  if (finding.level == verifier::Level::Error) tallies_[scenario].result().errors = true;
  const size_t before = findings_.findings().size();
  findings_.add(std::move(finding));
  if (watch_.found && findings_.findings().size() > before) watch_.found(findings_.findings().back());
}

void CheckCoordinator::take_fault(const Batch& batch, const Json& message) {
  Places& places = places_[batch.command.scenario];
  for (const Json& place : message["places"]) places.seen.insert(place.get<uint64_t>());
  if (std::string why = message.value("incomplete", ""); !why.empty() && !std::exchange(places.unfinished, true)) {
    result_.incomplete.push_back(fmt::format("{} with injected failures: {}", tally_of(batch).result().name, why));
  }
  if (!message.contains("place")) return;
  ++places.injected;
  places.tried.insert(message["place"].get<uint64_t>());
}

// --- How workers end ---

void CheckCoordinator::worker_ended(Batch& batch, const WorkerEnd& end) {
  tally_of(batch).result().milliseconds += end.milliseconds;
  if (batch.stopped) return sweep_another_seed(batch);
  if (batch.said_end && end.code == kWorkerDone) return add_told(batch);
  const bool planned = batch.said_end && end.code == kWorkerTainted;
  if (!planned) unexpected_death(batch, end);
  add_told(batch);
  if (batch.confirms == Batch::kNothing) resume(batch, end.seed + 1);
}

void CheckCoordinator::zygote_died(Batch& batch, std::optional<uint64_t> at) {
  constexpr const char* kDied = "the process that had loaded the driver died";
  if (!fatal()) result_.incomplete.push_back(kDied);
  if (!at) {
    queue_.push_front({.command = batch.command, .confirms = batch.confirms});
  } else if (batch.confirms == Batch::kNothing) {
    count_death(batch, *at, {.failing = true, .incomplete = kDied});
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
void CheckCoordinator::count_death(Batch& batch, uint64_t seed, SeedRecord death) {
  if (!batch.exploring()) {
    if (!death.death.empty()) result_.incomplete.push_back(std::move(death.death));
    if (!death.our_fault.empty()) {
      result_.our_faults.push_back(std::move(death.our_fault));
      tally_of(batch).result().our_fault = true;
    }
    return;
  }
  if (batch.told && batch.told->first == seed) {
    SeedRecord told = std::exchange(batch.told, std::nullopt)->second;
    death.activity = told.activity;
    death.hashes = told.hashes;
    death.findings.insert(death.findings.begin(), told.findings.begin(), told.findings.end());
  } else {
    add_told(batch);
    ++batch.ended;
  }
  std::ranges::move(std::exchange(batch.findings, {}), std::back_inserter(death.findings));
  batch.told = {seed, std::move(death)};
  add_told(batch);
}

// A worker died without saying why: killed for being too slow, or by something that no handler could catch.
void CheckCoordinator::unexpected_death(Batch& batch, const WorkerEnd& end) {
  const bool sweep = batch.command.sweep;
  RunOptions options = options_.run;
  options.fault = sweep ? static_cast<uint32_t>(end.seed) : batch.command.fault;
  const char* scenario = options_.scenarios[batch.command.scenario]->name;
  const uint64_t seed = sweep ? batch.command.seed : end.seed;
  if (end.killed_for_time) return killed_for_time(batch, end.seed, context_of(options, scenario, seed));
  std::string run = fmt::format("{} --seed {}", scenario, seed);
  if (options.fault) run += fmt::format(" --fault {}", options.fault);
  SeedRecord death{.failing = true};
  if (end.code == kWorkerOurFault || end.signal == SIGABRT) {
    death.our_fault = run;
  } else {
    death.incomplete =
        "the process died with " + (end.signal ? fmt::format("signal {} ({})", end.signal, strsignal(end.signal))
                                               : fmt::format("exit code {}", end.code));
    death.death = run + ": " + death.incomplete;
  }
  count_death(batch, end.seed, std::move(death));
}

void CheckCoordinator::killed_for_time(Batch& batch, uint64_t seed, verifier::RunContext run) {
  verifier::Finding hang = verifier::finding_for(nt::Violation::Hang);
  hang.sentence = fmt::format("the driver did not return within {} s of real time", options_.wall_limit_s);
  hang.run = std::move(run);
  SeedRecord death;
  if (!verifier::apply(action_for(hang, options_), hang)) {
    death.incomplete = verifier::unfinished_behind(hang.rule);
    if (!batch.exploring())
      death.death = fmt::format("{} --seed {}: {}", hang.run.scenario, hang.run.seed, death.incomplete);
  } else if (batch.exploring()) {
    death.failing = hang.level == verifier::Level::Error;
    death.warned = !death.failing;
    death.findings = {std::move(hang)};
  } else {
    take_finding(batch, std::move(hang));
  }
  count_death(batch, seed, std::move(death));
}

// --- What came of it ---

void CheckCoordinator::end_exploration() {
  if (!std::exchange(exploring_, false)) return;
  for (uint32_t i = 0; i < tallies_.size(); ++i) {
    tallies_[i].close();
    count_seeds(i);
    ScenarioResult& scenario = tallies_[i].result();
    const uint64_t end = options_.first_seed + planned_;
    scenario.cut_short = tallies_[i].has_failed_enough() && tallies_[i].next_seed() < end;
    const Floor* floor = options_.run.fault || options_.run.replay ? nullptr : find_floor(scenario.name);
    // Where something fails on purpose, a seed may end before it did anything: low seeds do, in every driver.
    if (options_.scenarios[i]->bears_faults) floor = nullptr;
    if (floor) scenario.too_little = below_floor(*floor, scenario.work, scenario.working_seeds);
    std::ranges::copy(tallies_[i].deaths(), std::back_inserter(result_.incomplete));
    std::ranges::copy(tallies_[i].our_faults(), std::back_inserter(result_.our_faults));
  }
  if (options_.sweep_faults) note_faults();
  for (const verifier::Finding& finding : findings_.findings()) {
    result_.findings.push_back({finding, false, {}, seen_in_[verifier::key_of(finding)]});
  }
  std::ranges::stable_sort(result_.findings, [](const SeenFinding& a, const SeenFinding& b) {
    return std::tuple(std::cref(a.finding.run), verifier::key_of(a.finding)) <
           std::tuple(std::cref(b.finding.run), verifier::key_of(b.finding));
  });
}

// A place that several scenarios come to is tried when one of them made it fail.
void CheckCoordinator::note_faults() {
  Places all;
  for (uint32_t i = 0; i < tallies_.size(); ++i) {
    if (!options_.scenarios[i]->bears_faults) continue;
    const Places& places = places_[i];
    tallies_[i].result().faults = {places.injected, places.seen.size() - places.tried.size()};
    all.injected += places.injected;
    all.seen.insert(places.seen.begin(), places.seen.end());
    all.tried.insert(places.tried.begin(), places.tried.end());
  }
  result_.faults = {all.injected, all.seen.size() - all.tried.size()};
}

CheckResult CheckCoordinator::take_result() {
  end_exploration();
  for (ScenarioTally& tally : tallies_) {
    judge(tally.result());
    result_.scenarios.push_back(std::move(tally.result()));
  }
  return std::move(result_);
}

}  // namespace host
