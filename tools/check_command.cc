// drydock check DRIVER: runs scenarios over seeds and says what the driver broke.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "host/check.h"
#include "host/images.h"
#include "tools/commands.h"
#include "tools/exit_codes.h"
#include "tools/reexec.h"
#include "tools/schedule_file.h"
#include "tools/verdict.h"
#include "verifier/rules.h"

namespace tools {
namespace {

struct Arguments {
  std::vector<std::string> drivers;
  std::string kmd;
  std::string files;
  std::string device;
  std::string scenario = "*";
  bool list = false;
  bool one_seed = false;
  uint64_t seed = 0;
  uint64_t seeds = 50;
  uint32_t processors = 2;
  uint32_t jobs = 0;
  uint32_t max_failing_seeds = 25;
  uint32_t wall_limit_s = 120;
  bool hashes = false;
  std::string schedule, trace;
  std::vector<std::string> rules_off;
  VerdictOptions where;
};

int list_scenarios(const std::vector<const host::Scenario*>& scenarios) {
  for (const host::Scenario* scenario : scenarios) fmt::print("{:<24} {}\n", scenario->name, scenario->story);
  return kNothingFound;
}

host::Progress progress_line() {
  if (!isatty(STDERR_FILENO)) return {};
  return [](const host::Scenario& scenario, uint64_t done, uint64_t total) {
    if (done % 16 == 0 || done == total) fmt::print(stderr, "\r\033[K{} {}/{}", scenario.name, done, total);
    if (done == total) fmt::print(stderr, "\r\033[K");
  };
}

host::Scenario::Needs needs_of(const base::ElfFile& file) {
  if (host::is_user_mode_driver(file)) return host::Scenario::Needs::Umd;
  if (host::is_streaming_driver(file)) return host::Scenario::Needs::Streaming;
  return host::is_graphics_driver(file) ? host::Scenario::Needs::Graphics : host::Scenario::Needs::Nt;
}

// refusal_of() has read the file already.
std::vector<const host::Scenario*> scenarios_for(const std::string& driver,
                                                 const std::vector<const host::Scenario*>& scenarios) {
  auto file = base::ElfFile::open(driver);
  auto needs = file.ok() ? needs_of(file.value()) : host::Scenario::Needs::Nt;
  std::vector<const host::Scenario*> fitting;
  std::copy_if(scenarios.begin(), scenarios.end(), std::back_inserter(fitting),
               [needs](const host::Scenario* scenario) { return scenario->needs == needs; });
  return fitting;
}

int check_one(const Arguments& arguments, const std::vector<const host::Scenario*>& scenarios,
              const std::string& driver) {
  if (std::string refusal = refusal_of(driver); !refusal.empty()) return refuse(refusal);
  host::CheckOptions options;
  options.driver = driver;
  options.kmd = arguments.kmd;
  options.device = arguments.device;
  options.files = arguments.files;
  options.scenarios = scenarios_for(driver, scenarios);
  if (options.scenarios.empty()) {
    return refuse(fmt::format("{}: no scenario that matches '{}' is for this kind of driver; --list shows them", driver,
                              arguments.scenario));
  }
  options.first_seed = arguments.one_seed ? arguments.seed : 0;
  options.seeds = arguments.one_seed ? 1 : arguments.seeds;
  options.processors = arguments.processors;
  options.jobs = arguments.jobs;
  options.max_failing_seeds = arguments.max_failing_seeds;
  options.wall_limit_s = arguments.wall_limit_s;
  options.hashes = arguments.hashes;
  options.keep_schedules = !arguments.where.save_dir.empty();
  options.rules_off = arguments.rules_off;
  options.trace_file = arguments.trace;
  if (!arguments.schedule.empty()) {
    std::string error;
    options.replay = read_schedule(arguments.schedule, &error);
    if (!options.replay) return refuse(error);
    if (std::string other = mismatch(*options.replay, driver); !other.empty()) return refuse(other);
    options.scenarios = host::find_scenarios(options.replay->header.scenario);
    if (options.scenarios.size() != 1) {
      return refuse(fmt::format("{}: there is no scenario '{}'", arguments.schedule, options.replay->header.scenario));
    }
    options.first_seed = options.replay->header.seed;
    options.seeds = 1;
    options.processors = options.replay->header.processors;
  }
  host::CheckResult result = host::check(options, progress_line());
  return tell_verdict(options, result, arguments.where);
}

bool any_for(const std::vector<const host::Scenario*>& scenarios, host::Scenario::Needs needs) {
  return std::any_of(scenarios.begin(), scenarios.end(),
                     [needs](const host::Scenario* scenario) { return scenario->needs == needs; });
}

// What is judged when no file is named: the bundled drivers that the scenarios are for. The user-mode driver goes above
// each kernel-mode driver, one for each way of addressing memory.
std::vector<Arguments> bundled(const Arguments& arguments, const std::vector<const host::Scenario*>& scenarios) {
  constexpr const char* kKernelDrivers[] = {"softgpu.so", "softgpu_physical.so"};
  constexpr const char* kMinidrivers[] = {"testcam.so", "ksalloc.so", "kssg.so"};
  std::string self = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  auto find = [&](const std::string& name) {
    std::string near = host::find_bundled(self, "drivers/" + name);
    return near.empty() ? host::find_bundled(self, "lib/drydock/drivers/" + name) : near;
  };
  std::vector<Arguments> all;
  for (const char* name : kKernelDrivers) {
    std::string kmd = find(std::string("softgpu/") + name), umd = find("softgpu/softgpu_umd.so");
    if (kmd.empty()) continue;
    Arguments one = arguments;
    if (any_for(scenarios, host::Scenario::Needs::Graphics)) {
      one.drivers = {kmd};
      all.push_back(one);
    }
    if (!umd.empty() && any_for(scenarios, host::Scenario::Needs::Umd)) {
      one.drivers = {umd};
      one.kmd = kmd;
      all.push_back(one);
    }
  }
  for (const char* name : kMinidrivers) {
    std::string minidriver = find(name);
    if (minidriver.empty() || !any_for(scenarios, host::Scenario::Needs::Streaming)) continue;
    Arguments one = arguments;
    one.drivers = {minidriver};
    all.push_back(one);
  }
  return all;
}

int run_check(const Arguments& arguments) {
  std::vector<const host::Scenario*> scenarios = host::find_scenarios(arguments.scenario);
  if (scenarios.empty()) return refuse(fmt::format("no scenario matches '{}'; --list shows them", arguments.scenario));
  if (arguments.list) return list_scenarios(scenarios);
  if (!arguments.trace.empty() && (!arguments.one_seed || scenarios.size() != 1) && arguments.schedule.empty()) {
    return refuse("--trace writes the trace of one run: name one --scenario and one --seed");
  }
  for (const std::string& rule : arguments.rules_off) {
    if (!verifier::find_rule(rule))
      return refuse(fmt::format("there is no rule '{}'; `drydock explain` lists them", rule));
  }
  std::vector<Arguments> rounds = arguments.drivers.empty() ? bundled(arguments, scenarios) : std::vector{arguments};
  if (rounds.empty()) return refuse("no driver was named, and the bundled ones are not beside this program");
  int worst = kNothingFound;
  for (const Arguments& round : rounds) {
    for (const std::string& driver : round.drivers) worst = std::max(worst, check_one(round, scenarios, driver));
  }
  return worst;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("check", "run a driver through scenarios and say which rules it broke");
  auto arguments = std::make_shared<Arguments>();
  Arguments& a = *arguments;
  command->add_option("driver", a.drivers, "driver modules (.so), of kernel or user mode; none: the bundled ones");
  command->add_option("--kmd", a.kmd, "the kernel-mode driver below a user-mode driver; default: softgpu");
  command->add_option("--device", a.device,
                      "model of the driver's hardware; default: NAME.device.so or device.so beside the driver");
  command->add_option("--files", a.files, "folder that holds the machine's files: c/x is its C:\\x")
      ->check(CLI::ExistingDirectory);
  command->add_option("--scenario", a.scenario, "only scenarios whose name matches (* and ?)")->capture_default_str();
  command->add_flag("--list", a.list, "list the scenarios and stop");
  auto* seed = command->add_option("--seed", a.seed, "run this seed only");
  command->add_option("--seeds", a.seeds, "run seeds 0 … N-1 of each scenario")
      ->excludes(seed)
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40))
      ->capture_default_str();
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
  command->add_flag("--hash", a.hashes, "print the trace hash of every seed");
  command->add_option("--trace", a.trace, "write the trace of the one run to this file");
  command->add_option("--json", a.where.json_file, "also write the report as JSON to this file");
  command->add_option("--save", a.where.save_dir, "keep the schedule of every finding in this folder");
  command->add_option("--off", a.rules_off, "do not judge this rule (may be repeated)");
  command->callback([arguments, seed, &exit_code] {
    arguments->one_seed = seed->count() > 0;
    exit_code = run_check(*arguments);
  });
}

}  // namespace tools
