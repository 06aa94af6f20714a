#include "tools/verdict.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "host/check/scenario_outcome.h"
#include "tools/exit_codes.h"
#include "verifier/finding/module_names.h"
#include "verifier/report/report_words.h"
#include "verifier/rules/rules.h"

namespace tools {
namespace {

verifier::FaultCounts counts_of(const host::FaultSweep& faults) { return {faults.injected, faults.untried}; }

verifier::ScenarioRun run_of(host::ScenarioResult scenario) {
  verifier::ScenarioRun run{.name = std::move(scenario.name),
                            .seeds = scenario.seeds_run,
                            .failing_seeds = scenario.failing_seeds,
                            .warned_seeds = scenario.warned_seeds,
                            .activity = scenario.activity,
                            .milliseconds = scenario.milliseconds,
                            .cut_short = scenario.cut_short,
                            .outcome = scenario.outcome,
                            .reason = std::move(scenario.reason)};
  if (scenario.faults) run.faults = counts_of(*scenario.faults);
  return run;
}

}  // namespace

// One schedule per finding: NT-LOCK-01-nt-run-seed17.schedule
bool Verdict::save_schedule(host::SeenFinding& seen) {
  std::error_code error;
  std::filesystem::create_directories(schedules_folder_, error);
  if (error) {
    refusal_ = fmt::format("{}: {}", schedules_folder_, error.message());
    return false;
  }
  std::string scenario = seen.finding.run.scenario;
  std::replace(scenario.begin(), scenario.end(), '/', '-');
  std::string path =
      fmt::format("{}/{}-{}-seed{}.schedule", schedules_folder_, seen.finding.rule, scenario, seen.finding.run.seed);
  refusal_ = write_whole(path, seen.schedule);
  seen.finding.run.schedule = path;
  return refusal_.empty();
}

bool Verdict::suppressed(const verifier::Finding& finding) {
  if (!suppressions_ || !suppressions_->matches(finding)) return false;
  ++suppressed_;
  return true;
}

void Verdict::take_findings(verifier::CheckedDriver& driver, const host::CheckOptions& options,
                            host::CheckResult& result) {
  verifier::ModuleNames names(DRYDOCK_SOURCE_ROOT);
  names.add(options.run.driver);
  if (!options.kmd.empty()) names.add(options.kmd);
  names.add(std::filesystem::read_symlink("/proc/self/exe").string());
  std::set<std::string> told;  // scenarios
  for (host::SeenFinding& seen : result.findings) {
    verifier::Finding& finding = seen.finding;
    verifier::symbolize(finding, names);
    if (suppressed(finding)) continue;
    told.insert(seen.scenarios.begin(), seen.scenarios.end());
    if (!seen.confirmed && !result.interrupted) {
      driver.not_run.push_back({fmt::format("{} ({} --seed {})", finding.rule, finding.run.scenario, finding.run.seed),
                                "was not seen again in a fresh process"});
    }
    if (!schedules_folder_.empty() && !seen.schedule.empty() && !save_schedule(seen)) return;
    finding.read_next = verifier::read_next(*verifier::find_rule(finding.rule));
    driver.findings.push_back(finding);
  }
  verifier::sort_worst_first(driver.findings);
  for (host::ScenarioResult& scenario : result.scenarios) {
    if (!scenario.errors || told.count(scenario.name)) continue;
    scenario.errors = false;
    host::judge(scenario);
    if (scenario.outcome == verifier::Outcome::Passed) scenario.reason = "what was found is suppressed";
  }
}

void Verdict::add(const host::CheckOptions& options, host::CheckResult result, const char* kind) {
  if (!result.usage_error.empty()) refusal_ = result.usage_error;
  if (!result.divergence.empty()) refusal_ = "the schedule does not match the program: " + result.divergence;
  if (!refusal_.empty()) return;
  verifier::CheckedDriver driver;
  driver.path = options.run.driver;
  driver.kind = kind;
  driver.profile = options.run.profile;
  if (result.faults) driver.faults = counts_of(*result.faults);
  for (const std::string& reason : result.incomplete) driver.not_run.push_back({{}, reason});
  take_findings(driver, options, result);
  for (host::ScenarioResult& scenario : result.scenarios) {
    if (!times_) scenario.milliseconds = 0;
    driver.scenarios.push_back(run_of(std::move(scenario)));
  }
  take_left_out(driver, options, result);
  for (const auto& [scenario, seeds] : result.hashes) {
    for (const auto& [seed, hash] : seeds) {
      hashes_.push_back(fmt::format("hash {} {} {:016x} {:016x}", scenario, seed, hash.trace, hash.findings));
    }
  }
  our_faults_.insert(our_faults_.end(), result.our_faults.begin(), result.our_faults.end());
  report_.drivers.push_back(std::move(driver));
}

void Verdict::add_package(const std::string& path, std::vector<verifier::Finding> findings) {
  verifier::CheckedDriver package;
  package.path = path;
  package.kind = "package";
  for (verifier::Finding& finding : findings) {
    if (suppressed(finding)) continue;
    finding.read_next = verifier::read_next(*verifier::find_rule(finding.rule));
    package.findings.push_back(std::move(finding));
  }
  verifier::sort_worst_first(package.findings);
  report_.drivers.push_back(std::move(package));
}

void Verdict::take_left_out(verifier::CheckedDriver& driver, const host::CheckOptions& options,
                            const host::CheckResult& result) {
  const std::string seeds = "left out " + verifier::counted(result.left_out, "seed");
  if (result.interrupted) {
    driver.not_run.push_back({"interrupted", seeds + "; what was found was not confirmed by a second run"});
  } else if (result.left_out) {
    driver.not_run.push_back(
        {"the time limit", fmt::format("{}, when {} s were over", seeds, options.time_limit_s), true});
  }
  if (!driver.scenarios.empty() && driver.count(verifier::Outcome::Skipped) == driver.scenarios.size()) {
    driver.not_run.push_back({{}, "every scenario was skipped, so nothing was tried"});
  }
}

void Verdict::add_interrupted(const std::string& path, const char* kind) {
  verifier::CheckedDriver driver;
  driver.path = path;
  driver.kind = kind;
  driver.not_run.push_back({"interrupted", "this driver was not run"});
  report_.drivers.push_back(std::move(driver));
}

int Verdict::exit_code() const {
  if (!our_faults_.empty() || report_.count(verifier::Outcome::OurFault)) return kOurFault;
  if (report_.count(verifier::Level::Error)) return kFindings;
  return report_.complete() ? kNothingFound : kIncomplete;
}

int Verdict::tell(const ReportFiles& files) {
  if (!refusal_.empty()) return refuse(refusal_);
  auto colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR") ? verifier::Colour::Yes : verifier::Colour::No;
  for (const std::string& line : hashes_) fmt::print("{}\n", line);
  fmt::print("{}", verifier::text_report(report_, colour));
  if (suppressed_) fmt::print("{} findings were suppressed\n", suppressed_);
  for (const std::string& where : our_faults_) {
    fmt::print("our own fault: Drydock failed in {}; please report it with the text above\n", where);
  }
  std::fflush(stdout);
  if (suppressions_) {
    if (auto unused = suppressions_->unused(); !unused.empty()) return refuse(unused[0]);
  }
  if (std::string refusal = write_reports(files, report_); !refusal.empty()) return refuse(refusal);
  return exit_code();
}

}  // namespace tools
