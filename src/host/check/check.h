#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/run/driver_image.h"
#include "host/run/run_options.h"
#include "host/run/scenario.h"
#include "verifier/finding/finding.h"
#include "verifier/report/outcome.h"
#include "verifier/watch/verifier.h"

namespace host {

struct CheckOptions {
  RunOptions run;                          // what every run has in common
  std::string kmd;                         // below a user-mode driver; empty: as Images::load() finds it
  DriverFiles files;                       // that belong to the kernel driver
  std::vector<const Scenario*> scenarios;  // what to run
  uint64_t first_seed = 0;
  uint64_t seeds = 50;
  std::string scratch;              // where the copies of run.files go; made by check()
  uint32_t jobs = 0;                // workers at once; 0: one per processor of this computer
  uint32_t max_failing_seeds = 25;  // of one scenario: then its other seeds are left out
  uint32_t wall_limit_s = 120;      // of real time without a seed being finished
  bool hashes = false;              // keep every seed's hashes
  bool keep_schedules = false;      // with each finding, what was chosen in the run that confirmed it
  bool sweep_faults = false;        // inject every failure, one by one, into the scenarios that bear it
  uint32_t time_limit_s = 0;        // of real time: then the seeds that are left are left out; 0: none
  bool fill_time = false;           // go on behind `seeds` until the time limit
  std::vector<std::pair<std::string, verifier::Action>> policy;  // by rule id
};

// What became of the failures that were injected.
struct FaultSweep {
  uint64_t injected = 0;
  uint64_t untried = 0;  // places that were passed and never made to fail: mostly ones that only a failure leads to
};

struct ScenarioResult {
  std::string name;
  uint64_t seeds_run = 0;
  uint64_t failing_seeds = 0;        // with an error, or with the death of their process
  uint64_t hanging_seeds = 0;        // of the failing ones: with a loop that never ends
  uint64_t warned_seeds = 0;         // with warnings alone, which leave no seed out
  uint64_t skipped_seeds = 0;        // that had nothing to try
  uint64_t incomplete_seeds = 0;     // that could not try what they were for
  uint64_t idle_seeds = 0;           // that came to nothing, where others may not
  std::string skipped_why = {};      // of the lowest of these seeds
  std::string incomplete_why = {};   // of the lowest of these seeds
  std::string idle_why = {};         // of the lowest of these seeds
  verifier::Activity activity = {};  // over all seeds
  uint64_t working_seeds = 0;        // neither failing nor skipped
  verifier::Activity work = {};      // over these
  std::string too_little = {};       // what is below the scenario's floor, in words; empty: nothing
  bool errors = false;               // an error was found, in a seed or with an injected failure
  bool our_fault = false;            // Drydock failed
  uint64_t milliseconds = 0;         // of real time, over all seeds
  bool cut_short = false;            // max_failing_seeds was reached
  std::optional<FaultSweep> faults;  // when every failure was injected into it
  verifier::Outcome outcome = verifier::Outcome::Incomplete;
  std::string reason = {};  // of a scenario that is skipped or incomplete
};

// One distinct finding over all seeds of all scenarios.
struct SeenFinding {
  verifier::Finding finding;             // of the lowest seed; its `runs` says in how many seeds it was seen
  bool confirmed = false;                // a fresh process found it again
  std::string schedule;                  // of the confirming run, when it was asked for
  std::set<std::string> scenarios = {};  // in which it was seen
};

// What a seed did, as numbers that are equal wherever the same driver runs with it.
struct SeedHashes {
  uint64_t trace = 0;
  uint64_t findings = 0;
};

struct CheckResult {
  std::vector<ScenarioResult> scenarios;
  std::vector<SeenFinding> findings;                             // in the order of scenario, seed
  std::map<std::string, std::map<uint64_t, SeedHashes>> hashes;  // scenario -> seed
  std::vector<std::string> incomplete;                           // what could not be run, and why
  std::optional<FaultSweep> faults;
  uint64_t left_out = 0;                // seeds that the time limit or the user's interruption cost
  bool interrupted = false;             // by the user: what was found was not confirmed
  std::vector<std::string> our_faults;  // where Drydock itself failed
  std::string usage_error;              // the driver or the schedule is unusable: one sentence
  std::string divergence;               // a replayed schedule does not match the program
};

// Who follows a check while it runs. Each may be empty.
struct Watch {
  std::function<void(const Scenario&, uint64_t seeds_done, uint64_t seeds_total)> progress;
  std::function<void(const verifier::Finding&)> found;  // for the first time; not yet confirmed nor symbolized
  std::function<bool()> interrupted = {};               // asked often: whether the user wants an end now
};

// Runs the scenarios over the seeds, in children of zygotes that have loaded the driver: whatever the driver does to
// its process, this one lives and tells.
CheckResult check(const CheckOptions& options, const Watch& watch);

}  // namespace host
