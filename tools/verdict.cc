#include "tools/verdict.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tools/exit_codes.h"
#include "verifier/finding/module_names.h"
#include "verifier/rules/rules.h"

namespace tools {

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
  for (host::SeenFinding& seen : result.findings) {
    verifier::Finding& finding = seen.finding;
    verifier::symbolize(finding, names);
    if (suppressed(finding)) continue;
    if (!seen.confirmed) {
      driver.not_run.push_back({fmt::format("{} ({} --seed {})", finding.rule, finding.run.scenario, finding.run.seed),
                                "was not seen again in a fresh process"});
    }
    if (!schedules_folder_.empty() && !seen.schedule.empty() && !save_schedule(seen)) return;
    finding.read_next = verifier::read_next(*verifier::find_rule(finding.rule));
    driver.findings.push_back(finding);
  }
  verifier::sort_worst_first(driver.findings);
}

void Verdict::add(const host::CheckOptions& options, host::CheckResult result, const char* kind) {
  if (!result.usage_error.empty()) refusal_ = result.usage_error;
  if (!result.divergence.empty()) refusal_ = "the schedule does not match the program: " + result.divergence;
  if (!refusal_.empty()) return;
  verifier::CheckedDriver driver;
  driver.path = options.run.driver;
  driver.kind = kind;
  driver.profile = options.run.profile;
  for (const host::ScenarioResult& scenario : result.scenarios) {
    driver.scenarios.push_back({.name = scenario.name,
                                .seeds = scenario.seeds_run,
                                .failing_seeds = scenario.failing_seeds,
                                .ddi_calls = scenario.activity.ddi_calls,
                                .milliseconds = times_ ? scenario.milliseconds : 0,
                                .cut_short = scenario.cut_short,
                                .warned_seeds = scenario.warned_seeds});
  }
  if (result.faults) driver.faults = {result.faults->injected, result.faults->untried};
  for (const std::string& reason : result.incomplete) driver.not_run.push_back({{}, reason});
  take_findings(driver, options, result);
  incomplete_ |= !driver.not_run.empty();
  if (!result.left_out.empty()) driver.not_run.push_back({"the time limit", "left out " + result.left_out});
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

int Verdict::exit_code() const {
  if (!our_faults_.empty()) return kOurFault;
  if (report_.count(verifier::Level::Error)) return kFindings;
  return incomplete_ ? kIncomplete : kNothingFound;
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
