#pragma once

#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "host/check/batch.h"
#include "host/check/check.h"
#include "host/check/scenario_tally.h"
#include "verifier/finding/finding_set.h"

namespace host {

// A batch, and what its worker has said so far.
struct Batch {
  static constexpr size_t kNothing = ~size_t{0};

  BatchCommand command;
  size_t confirms = kNothing;  // index of the finding that this run is to confirm
  bool said_end = false;
  uint64_t ended = 0;                            // seeds
  std::vector<verifier::Finding> findings = {};  // of the seed that is under way
  // The last seed that was said to have ended. It is counted when the next line shows that its process lives.
  std::optional<std::pair<uint64_t, SeedRecord>> told = {};
  bool stopped = false;  // the seed of this sweep stops at a finding of its own

  bool exploring() const { return confirms == kNothing && !command.sweep; }
};

struct WorkerEnd {
  int code = -1;                 // it exited with; -1: it did not
  int signal = 0;                // that killed it; 0: none
  uint64_t seed = 0;             // that it was at, or the failure of a sweep
  bool killed_for_time = false;  // by us
  uint64_t milliseconds = 0;     // that the batch took
};

// Decides what is run next, and gathers what came of it. It knows neither processes nor the clock:
//
//   explore  batches -> findings          after a worker's death the batch goes on behind the fatal seed
//   confirm  one batch of one seed per distinct finding
//
// Touched by one thread.
class CheckCoordinator {
 public:
  // Both outlive it.
  CheckCoordinator(const CheckOptions& options, const Watch& watch);

  void plan_exploration();   // of every seed, and of every failure if that was asked for
  void plan_confirmation();  // of what exploration found. Call it when no batch is left

  enum class Time : uint8_t { Left, Over };
  // What to run now; empty: nothing is left, but a batch that is under way may leave a rest.
  std::optional<Batch> next(Time time);

  // One line of the pipe that the batch's worker writes to. A line that was cut off says nothing. Returns how the
  // worker ended if the line tells: then call worker_ended().
  [[nodiscard]] std::optional<WorkerEnd> take_line(Batch& batch, std::string_view line);
  // The seeds that the worker has left are the next to run.
  void worker_ended(Batch& batch, const WorkerEnd& end);
  // The worker's parent has died. `at` is the seed that the worker was at; empty: the batch had no worker.
  void zygote_died(Batch& batch, std::optional<uint64_t> at);
  // No process is left that could run the rest.
  void give_up();
  // The user wants an end: nothing more is run. `under_way`: batches whose workers were ended.
  void interrupt(const std::vector<Batch*>& under_way);

  // Nothing more can be learnt.
  bool fatal() const { return !result_.usage_error.empty() || !result_.divergence.empty(); }
  CheckResult take_result();

 private:
  using Json = nlohmann::ordered_json;

  void plan_seeds(uint32_t scenario, uint64_t done, uint64_t count);
  void plan_sweep();
  void sweep_another_seed(const Batch& batch);
  bool plan_rest();
  bool plan_further_round();
  uint32_t scenario_index(const std::string& name) const;
  void resume(const Batch& batch, uint64_t first);
  void leave_out(const Batch& batch);
  void leave_out_seeds(uint64_t count);
  void leave_out_rest();
  void end_exploration();
  void note_faults();
  ScenarioTally& tally_of(const Batch& batch) { return tallies_[batch.command.scenario]; }

  void take_finding(Batch& batch, verifier::Finding finding);
  void keep_finding(uint32_t scenario, verifier::Finding finding);
  void take_fault(const Batch& batch, const Json& message);
  void take_seed(Batch& batch, const Json& message);
  void add_told(Batch& batch);
  void count_seeds(uint32_t scenario);
  void count_death(Batch& batch, uint64_t seed, SeedRecord death);
  void unexpected_death(Batch& batch, const WorkerEnd& end);
  void killed_for_time(Batch& batch, uint64_t seed, verifier::RunContext run);

  // Where something could fail in a scenario, and where it was made to.
  struct Places {
    uint64_t injected = 0;
    std::set<uint64_t> seen, tried;
    bool unfinished = false;  // a rule that is off ended a run, and that was told
  };

  const CheckOptions& options_;
  const Watch& watch_;
  std::vector<ScenarioTally> tallies_;  // as options_.scenarios
  std::vector<Places> places_;          // as options_.scenarios
  uint64_t planned_ = 0;                // seeds of each scenario
  // What exploration has not put into the queue yet: this scenario's seeds from here on, all later scenarios', the
  // sweeps.
  struct Rest {
    uint32_t scenario = 0;
    uint64_t done = 0;
    bool swept = true;
  } rest_;
  bool exploring_ = true;
  std::deque<Batch> queue_;
  verifier::FindingSet findings_;
  std::map<std::string, std::set<std::string>> seen_in_;  // key of a finding -> scenarios
  CheckResult result_;
};

}  // namespace host
