// drydock check [DRIVER…]: runs drivers through the scenarios that fit them and says what they broke.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "host/check/check.h"
#include "host/run/profile.h"
#include "host/run/run_charts.h"
#include "inf/lint.h"
#include "tools/check_targets.h"
#include "tools/commands.h"
#include "tools/exit_codes.h"
#include "tools/interruption.h"
#include "tools/progress.h"
#include "tools/reexec.h"
#include "tools/schedule_file.h"
#include "tools/verdict.h"
#include "trace/reader.h"
#include "verifier/rules/rules.h"

namespace tools {
namespace {

using Scenarios = std::vector<const host::Scenario*>;
using Policy = std::vector<std::pair<std::string, verifier::Action>>;

struct Arguments {
  Named named;
  std::vector<std::string> infs;
  std::string files;
  std::string scenario = "*";
  bool list = false;
  bool one_seed = false;
  uint64_t seed = 0;
  uint64_t seeds = 50;
  uint32_t fault = 0;
  uint64_t hang_edges = 0;
  uint32_t processors = 2;
  uint32_t jobs = 0;
  uint32_t max_failing_seeds = 25;
  uint32_t wall_limit_s = 120;
  uint32_t time_limit_s = 0;
  bool fill_time = false;
  bool hashes = false;
  bool sweep_faults = false;
  std::string profile, schedule, trace, save_dir, suppress;
  std::vector<std::string> rules_off, policy;
  ReportFiles reports;
};

int list_scenarios(const Scenarios& scenarios) {
  for (const host::Scenario* scenario : scenarios) fmt::print("{:<24} {}\n", scenario->name, scenario->story);
  return kNothingFound;
}

Scenarios scenarios_for(host::Scenario::Needs kind, const Scenarios& scenarios) {
  Scenarios fitting;
  std::ranges::copy_if(scenarios, std::back_inserter(fitting),
                       [kind](const host::Scenario* scenario) { return scenario->needs == kind; });
  return fitting;
}

// --off RULE and --policy RULE=off|warn|error, or one sentence about what is neither.
base::Expected<Policy, std::string> read_policy(const Arguments& arguments) {
  Policy policy;
  for (const std::string& rule : arguments.rules_off) policy.emplace_back(rule, verifier::Action::Off);
  for (const std::string& text : arguments.policy) {
    size_t equals = text.find('=');
    std::string action = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (action != "off" && action != "warn" && action != "error") {
      return fmt::format("--policy {}: expected RULE=off, RULE=warn or RULE=error", text);
    }
    policy.emplace_back(text.substr(0, equals), action == "off"    ? verifier::Action::Off
                                                : action == "warn" ? verifier::Action::Warn
                                                                   : verifier::Action::Error);
  }
  auto wrong =
      std::find_if(policy.rbegin(), policy.rend(), [](const auto& one) { return !verifier::find_rule(one.first); });
  if (wrong != policy.rend()) return fmt::format("there is no rule '{}'; `drydock rules` lists them", wrong->first);
  return policy;
}

base::Expected<verifier::Suppressions, std::string> read_suppressions(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) return fmt::format("{}: cannot be read, or is empty", path);
  return verifier::Suppressions::parse(text.str(), path);
}

host::CheckOptions options_for(const Arguments& arguments, const Target& target) {
  host::CheckOptions options;
  options.run.driver = target.driver;
  options.kmd = target.kmd;
  options.files = target.files;
  options.run.files = arguments.files;
  options.first_seed = arguments.one_seed ? arguments.seed : 0;
  options.seeds = arguments.one_seed ? 1 : arguments.seeds;
  options.run.processors = arguments.processors;
  options.jobs = arguments.jobs;
  options.max_failing_seeds = arguments.max_failing_seeds;
  options.wall_limit_s = arguments.wall_limit_s;
  options.hashes = arguments.hashes;
  options.keep_schedules = !arguments.save_dir.empty();
  options.run.trace_file = arguments.trace;
  options.run.profile = arguments.profile;
  options.run.fault = arguments.fault;
  options.run.hang_edges = arguments.hang_edges;
  options.sweep_faults = arguments.sweep_faults;
  return options;
}

// Plays a recorded schedule instead of seeds. One sentence when it does not fit, or empty.
std::string play_back(const std::string& path, host::CheckOptions& options) {
  auto schedule = read_schedule(path);
  if (!schedule.ok()) return schedule.error();
  options.run.replay = schedule.take();
  if (std::string other = mismatch(*options.run.replay, options.run.driver); !other.empty()) return other;
  options.scenarios = host::find_scenarios(options.run.replay->header.scenario);
  if (options.scenarios.size() != 1) {
    return fmt::format("{}: there is no scenario '{}'", path, options.run.replay->header.scenario);
  }
  options.first_seed = options.run.replay->header.seed;
  options.seeds = 1;
  options.run.processors = options.run.replay->header.processors;
  return {};
}

// The run whose memory and engines a report draws: one that moves much memory, where the driver has a GPU.
std::optional<verifier::Charts> draw(const host::CheckOptions& checked) {
  constexpr const char* kLivelyScenario = "vidmm/oversubscribe-2x";
  auto scenarios = host::find_scenarios(kLivelyScenario);
  if (scenarios.empty() || scenarios[0]->needs != checked.scenarios[0]->needs) return std::nullopt;
  std::string path = fmt::format("{}/drydock-{}.trace", std::filesystem::temp_directory_path().string(), getpid());
  host::CheckOptions options = checked;
  options.scenarios = scenarios;
  options.first_seed = 0;
  options.seeds = 1;
  options.run.trace_file = path;
  options.hashes = false;
  options.run.replay.reset();
  options.time_limit_s = 0;
  options.fill_time = false;
  host::check(options, {.progress = {}, .found = {}, .interrupted = &Interruption::came});
  auto bytes = trace::read_trace_file(path);
  std::remove(path.c_str());
  if (!bytes.ok()) return std::nullopt;
  verifier::Charts charts = host::charts_of(bytes.take());
  charts.run =
      fmt::format("{}, {} --seed 0", std::filesystem::path(options.run.driver).filename().string(), kLivelyScenario);
  if (charts.empty()) return std::nullopt;
  return charts;
}

class Check {
 public:
  explicit Check(const Arguments& arguments) : arguments_(arguments) {}

  int run() {
    scenarios_ = host::find_scenarios(arguments_.scenario);
    if (scenarios_.empty()) {
      return refuse(fmt::format("no scenario matches '{}'; --list shows them", arguments_.scenario));
    }
    if (arguments_.list) return list_scenarios(scenarios_);
    if (std::string refusal = refusal_of_arguments(); !refusal.empty()) return refuse(refusal);
    bool judges_drivers = arguments_.infs.empty() || arguments_.named.any();
    auto targets = judges_drivers ? find_targets(arguments_.named) : std::vector<Target>();
    if (!targets.ok()) return refuse(targets.error());
    for (const std::string& inf : arguments_.infs) {
      if (std::string refusal = judge_package(inf); !refusal.empty()) return refuse(refusal);
    }
    Interruption interruption;
    for (const Target& target : targets.value()) {
      if (Interruption::came()) {
        verdict_.add_interrupted(target.driver, name_of(target.kind));
        continue;
      }
      if (std::string refusal = judge(target); !refusal.empty()) return refuse(refusal);
    }
    return verdict_.tell(arguments_.reports);
  }

 private:
  std::string refusal_of_arguments() {
    if (!arguments_.trace.empty() && (!arguments_.one_seed || scenarios_.size() != 1) && arguments_.schedule.empty()) {
      return "--trace writes the trace of one run: name one --scenario and one --seed";
    }
    if (!arguments_.profile.empty() && !host::find_profile(arguments_.profile)) return unknown_profile();
    auto policy = read_policy(arguments_);
    if (!policy.ok()) return policy.error();
    policy_ = policy.take();
    if (!arguments_.suppress.empty()) {
      auto suppressions = read_suppressions(arguments_.suppress);
      if (!suppressions.ok()) return suppressions.error();
      verdict_.suppress(suppressions.take());
    }
    verdict_.keep_schedules_in(arguments_.save_dir);
    verdict_.was_asked(command_line());
    if (!arguments_.reports.junit.empty() || !arguments_.reports.html.empty()) verdict_.keep_times();
    return refusal_of(arguments_.reports);
  }

  std::string unknown_profile() const {
    std::string names;
    for (const host::Profile& profile : host::all_profiles()) names += fmt::format(" {}", profile.name);
    return fmt::format("--profile {}: there is no such profile; there are:{}", arguments_.profile, names);
  }

  std::string judge_package(const std::string& path) {
    auto judged = inf::lint_package(path, {});
    if (!judged.ok()) return judged.error();
    std::vector<verifier::Finding> findings = judged.take();
    std::erase_if(findings, [this](verifier::Finding& finding) { return apply_policy(finding); });
    verdict_.add_package(path, std::move(findings));
    return {};
  }

  // Whether the finding must not be reported.
  bool apply_policy(verifier::Finding& finding) const {
    for (const auto& [rule, action] : policy_) {
      if (verifier::find_rule(rule) != verifier::find_rule(finding.rule)) continue;
      if (!verifier::apply(action, finding)) return true;
    }
    return false;
  }

  // Empty, or why nothing can be said about it.
  std::string judge(const Target& target) {
    host::CheckOptions options = options_for(arguments_, target);
    options.policy = policy_;
    options.scenarios = scenarios_for(target.kind, scenarios_);
    if (options.scenarios.empty()) {
      if (arguments_.named.drivers.empty()) return {};  // one of the bundled drivers: it is for others
      return fmt::format("{}: no scenario that matches '{}' is for a {}; --list shows them", target.driver,
                         arguments_.scenario, name_of(target.kind));
    }
    if (!arguments_.schedule.empty()) {
      if (std::string refusal = play_back(arguments_.schedule, options); !refusal.empty()) return refusal;
    }
    options.time_limit_s = arguments_.time_limit_s;
    options.fill_time = arguments_.fill_time && !options.run.replay;
    host::CheckResult result;
    {
      Progress progress(target.driver, options.scenarios.size());
      host::Watch watch = progress.watch();
      watch.interrupted = &Interruption::came;
      result = host::check(options, watch);
    }
    bool usable = result.usage_error.empty() && result.divergence.empty();
    verdict_.add(options, std::move(result), name_of(target.kind));
    if (usable && !arguments_.reports.html.empty()) {
      if (auto charts = draw(options)) verdict_.add_charts(*std::move(charts));
    }
    return {};
  }

  const Arguments& arguments_;
  Scenarios scenarios_;
  Policy policy_;
  Verdict verdict_;
};

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("check", "run drivers through scenarios and say which rules they broke");
  auto arguments = std::make_shared<Arguments>();
  Arguments& a = *arguments;
  // What
  command->add_option("driver", a.named.drivers, "driver modules (.so) of any kind; none: the bundled ones");
  command->add_option("--kmd", a.named.kmd, "a display miniport driver; beside user-mode drivers: the one below them");
  command->add_option("--umd", a.named.umd, "a user-mode display driver");
  command->add_option("--ks", a.named.ks, "a minidriver of AVStream");
  command->add_option("--inf", a.infs, "a package: judge what its INF file says");
  command->add_option("--device", a.named.files.device,
                      "model of the driver's hardware; default: NAME.device.so or device.so beside the driver");
  command->add_option("--workload", a.named.files.workload,
                      "commands of a display driver; default: NAME.workload.so or workload.so beside the driver");
  command
      ->add_option("--files", a.files, "folder that holds the machine's files: c/x is its C:\\x; each run gets a copy")
      ->check(CLI::ExistingDirectory);
  // How much
  command->add_option("--scenario", a.scenario, "only scenarios whose name matches (* and ?)")->capture_default_str();
  command->add_flag("--list", a.list, "list the scenarios and stop");
  auto* seed = command->add_option("--seed", a.seed, "run this seed only");
  auto* seeds = command->add_option("--seeds", a.seeds, "run seeds 0 … N-1 of each scenario")
                    ->excludes(seed)
                    ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40))
                    ->capture_default_str();
  auto* time =
      command
          ->add_option("--time", a.time_limit_s,
                       "seconds of real time per driver: with --seeds or --seed a limit, then the others are left out; "
                       "alone, as many seeds as it takes")
          ->check(CLI::Range(1u, 864000u));
  command->add_flag("--faults", a.sweep_faults, "also make everything fail that can, once at each place");
  command->add_option("--fault", a.fault, "make this one failure happen: from the report's replay line");
  command->add_option("--profile", a.profile,
                      "the Windows to be: wddm1.3, wddm2.0, …; default: newest and oldest in turn");
  auto* schedule = command->add_option("--schedule", a.schedule, "play a recorded schedule back instead of a seed");
  schedule->excludes(seed);
  command->add_option("--processors", a.processors, "of the simulated machine")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--jobs", a.jobs, "processes at once; 0: one per processor of this computer")
      ->check(CLI::Range(0, 256));
  command->add_option("--max-failing-seeds", a.max_failing_seeds, "of a scenario, before its other seeds are left out")
      ->capture_default_str();
  command->add_option("--wall-limit", a.wall_limit_s, "seconds of real time one seed may take")
      ->check(CLI::Range(1u, 86400u))
      ->capture_default_str();
  command
      ->add_option("--hang-edges", a.hang_edges,
                   "jumps that a driver may make without a call into the kernel before its loop is one that never "
                   "ends; default: 250 million")
      ->check(CLI::Range(uint64_t{1000}, uint64_t{1} << 50));
  // What counts
  command->add_option("--policy", a.policy, "RULE=off|warn|error (may be repeated)");
  command->add_option("--off", a.rules_off, "the same as --policy RULE=off");
  command->add_option("--suppress", a.suppress, "file with findings that are known: RULE [PATTERN] a line");
  // What is kept
  command->add_option("--json", a.reports.json, "write the report as JSON (docs/reports.md)");
  command->add_option("--junit", a.reports.junit, "write the report as JUnit's XML");
  command->add_option("--sarif", a.reports.sarif, "write the report as SARIF 2.1.0");
  command->add_option("--report", a.reports.html, "write the report as one HTML page");
  command->add_option("--trace", a.trace, "write the trace of the one run to this file");
  command->add_option("--save", a.save_dir, "keep the schedule of every finding in this folder");
  command->add_flag("--hash", a.hashes, "print two hashes of every seed: of its trace and of its findings");
  command->callback([arguments, seed, seeds, time, &exit_code] {
    arguments->one_seed = seed->count() > 0;
    arguments->fill_time = time->count() > 0 && !seed->count() && !seeds->count();
    exit_code = Check(*arguments).run();
  });
}

}  // namespace tools
