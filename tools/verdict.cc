#include "tools/verdict.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tools/exit_codes.h"
#include "verifier/module_names.h"
#include "verifier/report.h"

namespace tools {
namespace {

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return true;
  fmt::print(stderr, "drydock: {}: cannot be written\n", path);
  return false;
}

// One schedule per finding: NT-LOCK-01-seed17.schedule
bool save_schedules(host::CheckResult& result, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    fmt::print(stderr, "drydock: {}: {}\n", directory, error.message());
    return false;
  }
  for (host::SeenFinding& seen : result.findings) {
    if (seen.schedule.empty()) continue;
    std::string scenario = seen.finding.run.scenario;
    std::replace(scenario.begin(), scenario.end(), '/', '-');
    std::string path =
        fmt::format("{}/{}-{}-seed{}.schedule", directory, seen.finding.rule, scenario, seen.finding.run.seed);
    if (!write_file(path, seen.schedule)) return false;
    seen.finding.run.schedule = path;
  }
  return true;
}

verifier::Report make_report(const host::CheckOptions& options, const host::CheckResult& result) {
  verifier::Report report;
  report.tool_version = DRYDOCK_VERSION;
  report.driver = options.driver;
  for (const host::ScenarioResult& scenario : result.scenarios) {
    report.scenarios.push_back(scenario.name);
    report.runs += scenario.seeds_run;
  }
  verifier::ModuleNames names(DRYDOCK_SOURCE_ROOT);
  names.add(options.driver);
  if (!options.kmd.empty()) names.add(options.kmd);
  names.add(std::filesystem::read_symlink("/proc/self/exe").string());
  for (const host::SeenFinding& seen : result.findings) {
    report.findings.push_back(seen.finding);
    verifier::symbolize(report.findings.back(), names);
  }
  verifier::sort_worst_first(report.findings);
  return report;
}

void print_scenarios(const host::CheckResult& result) {
  for (const host::ScenarioResult& scenario : result.scenarios) {
    std::string outcome =
        scenario.failing_seeds == 0 ? "nothing found" : fmt::format("findings in {} of them", scenario.failing_seeds);
    std::string calls = scenario.ddi_calls ? fmt::format("{:>9} DDI calls  ", scenario.ddi_calls) : "";
    fmt::print("  {:<24} {:>6} seeds  {}{}{}\n", scenario.name, scenario.seeds_run, calls, outcome,
               scenario.cut_short ? ", the rest left out" : "");
  }
}

void print_hashes(const host::CheckResult& result) {
  for (const auto& [scenario, seeds] : result.hashes) {
    for (const auto& [seed, hash] : seeds) fmt::print("hash {} {} {:016x}\n", scenario, seed, hash);
  }
}

}  // namespace

int tell_verdict(const host::CheckOptions& options, host::CheckResult& result, const VerdictOptions& where) {
  if (!result.usage_error.empty()) {
    fmt::print(stderr, "drydock: {}\n", result.usage_error);
    return kUsage;
  }
  if (!result.divergence.empty()) {
    fmt::print(stderr, "drydock: the schedule does not match the program: {}\n", result.divergence);
    return kUsage;
  }
  bool written = where.save_dir.empty() || save_schedules(result, where.save_dir);
  verifier::Report report = make_report(options, result);
  if (!where.json_file.empty()) written &= write_file(where.json_file, verifier::json_report(report));

  auto colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR") ? verifier::Colour::Yes : verifier::Colour::No;
  fmt::print("{}\n", options.driver);
  print_scenarios(result);
  print_hashes(result);
  fmt::print("\n{}", verifier::text_report(report, colour));
  for (const host::SeenFinding& seen : result.findings) {
    if (!seen.confirmed) {
      result.incomplete.push_back(fmt::format("{} ({} --seed {}) was not seen again in a fresh process",
                                              seen.finding.rule, seen.finding.run.scenario, seen.finding.run.seed));
    }
  }
  for (const std::string& reason : result.incomplete) fmt::print("incomplete: {}\n", reason);
  for (const std::string& where_it_was : result.our_faults) {
    fmt::print("our own fault: Drydock failed in {}; please report it with the text above\n", where_it_was);
  }
  std::fflush(stdout);
  if (!result.our_faults.empty()) return kOurFault;
  if (!report.findings.empty()) return kFindings;
  if (!result.incomplete.empty()) return kIncomplete;
  return written ? kNothingFound : kUsage;
}

}  // namespace tools
