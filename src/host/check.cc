#include "host/check.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/sanitizer.h"
#include "host/files_copy.h"
#include "host/zygote.h"
#include "verifier/finding_json.h"
#include "verifier/finding_set.h"
#include "verifier/rules.h"

// The checking process. It cuts every scenario's seeds into batches, hands them to zygotes, reads what the workers say,
// and runs what they found once more in a fresh process:
//
//   explore  batches -> findings          a worker that dies is replaced, and the batch goes on after the fatal seed
//   confirm  one batch of one seed per distinct finding
namespace host {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kBatchSeeds = 64;
constexpr uint64_t kTasteSeeds = 2;
constexpr uint64_t kMostFaults = 100'000;
constexpr int kPollMs = 500;

class Checker {
 public:
  Checker(const CheckOptions& options, const Watch& watch) : options_(options), watch_(watch) {
    for (const Scenario* scenario : options.scenarios) result_.scenarios.push_back({.name = scenario->name});
  }

  CheckResult run() {
    uint32_t jobs = options_.jobs ? options_.jobs : static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
    for (uint32_t i = 0; i < jobs; ++i) slots_.push_back(std::make_unique<Slot>(options_));
    plan_exploration();
    if (options_.sweep_faults) plan_sweep();
    work();
    if (options_.sweep_faults) result_.faults = {injected_, places_.size() - tried_.size()};
    if (left_out_) result_.left_out = fmt::format("{} seeds, when {} s were over", left_out_, options_.time_limit_s);
    result_.findings = sorted_findings();
    if (!fatal()) {
      plan_confirmation();
      work();
    }
    return std::move(result_);
  }

 private:
  struct Batch {
    BatchCommand command;
    size_t confirms = kNothing;  // index of the finding that this run is to confirm
  };
  struct Slot {
    explicit Slot(const CheckOptions& options) : zygote(options) {}
    Zygote zygote;
    std::string unread;  // an incomplete line
    bool busy = false;
    bool dead = false;
    bool killed = false;  // by us, for being too slow
    Batch batch;
    Clock::time_point began;
    uint64_t heartbeat = 0;
    Clock::time_point last_beat;
  };
  static constexpr size_t kNothing = ~size_t{0};

  static uint64_t spent(const ScenarioResult& scenario) {
    return scenario.failing_seeds + kHangingSeed * scenario.hanging_seeds;
  }
  bool has_failed_enough(const ScenarioResult& scenario) const { return spent(scenario) >= options_.max_failing_seeds; }
  bool out_of_time() const {
    return options_.time_limit_s && Clock::now() - began_ >= std::chrono::seconds(options_.time_limit_s);
  }

  bool fatal() const { return !result_.usage_error.empty() || !result_.divergence.empty(); }

  // First a taste of every scenario: most faults show at once, and whoever waits sees them at once.
  void plan_exploration() {
    uint64_t taste = std::min(kTasteSeeds, options_.seeds);
    for (uint32_t i = 0; i < options_.scenarios.size(); ++i) plan_seeds(i, 0, taste);
    for (uint32_t i = 0; i < options_.scenarios.size(); ++i) {
      for (uint64_t done = taste; done < options_.seeds; done += kBatchSeeds) {
        plan_seeds(i, done, std::min(kBatchSeeds, options_.seeds - done));
      }
    }
  }
  void plan_seeds(uint32_t scenario, uint64_t done, uint64_t count) {
    queue_.push_back({{.scenario = scenario,
                       .first = options_.first_seed + done,
                       .count = count,
                       .max_failing = 0,
                       .keep_schedule = false,
                       .trace = false,
                       .fault = options_.fault,
                       .sweep = false},
                      kNothing});
  }
  // A scenario is swept by one worker, which ends when it no longer comes to a new place.
  void plan_sweep() {
    for (uint32_t i = 0; i < options_.scenarios.size(); ++i) {
      if (!options_.scenarios[i]->bears_faults) continue;
      queue_.push_back({{.scenario = i,
                         .first = 1,
                         .count = kMostFaults,
                         .max_failing = 0,
                         .keep_schedule = false,
                         .trace = false,
                         .fault = 0,
                         .sweep = true},
                        kNothing});
    }
  }

  void plan_confirmation() {
    for (size_t i = 0; i < result_.findings.size(); ++i) {
      const verifier::RunContext& run = result_.findings[i].finding.run;
      queue_.push_back({{.scenario = scenario_index(run.scenario),
                         .first = run.seed,
                         .count = 1,
                         .max_failing = 1,
                         .keep_schedule = options_.keep_schedules,
                         .trace = base::kSanitizer != base::Sanitizer::Thread,  // it would put threads in order
                         .fault = run.fault,
                         .sweep = false},
                        i});
    }
  }

  uint32_t scenario_index(const std::string& name) const {
    for (uint32_t i = 0; i < options_.scenarios.size(); ++i) {
      if (name == options_.scenarios[i]->name) return i;
    }
    CHECK_MSG(false, "a finding of a scenario that was not run");
    return 0;
  }

  std::vector<SeenFinding> sorted_findings() {
    std::vector<SeenFinding> seen;
    for (const verifier::Finding& finding : findings_.findings()) seen.push_back({finding, false, {}});
    std::stable_sort(seen.begin(), seen.end(),
                     [](const SeenFinding& a, const SeenFinding& b) { return a.finding.run < b.finding.run; });
    return seen;
  }

  void work() {
    for (;;) {
      for (auto& slot : slots_) start_next(*slot);
      std::vector<pollfd> fds;
      for (auto& slot : slots_) fds.push_back({slot->busy ? slot->zygote.results() : -1, POLLIN, 0});
      if (std::none_of(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->busy; })) break;
      if (poll(fds.data(), fds.size(), kPollMs) < 0) continue;
      for (size_t i = 0; i < fds.size(); ++i) {
        if (fds[i].revents) {
          read_results(*slots_[i]);
        } else if (slots_[i]->busy) {
          watch_clock(*slots_[i]);
        }
      }
    }
    if (!queue_.empty() && !fatal()) {
      result_.incomplete.push_back("no process is left that can run the driver");
      queue_.clear();
    }
  }

  void start_next(Slot& slot) {
    if (slot.busy || slot.dead) return;
    while (!queue_.empty()) {
      Batch batch = queue_.front();
      queue_.pop_front();
      if (fatal()) continue;
      if (batch.confirms == kNothing && out_of_time()) {
        left_out_ += batch.command.sweep ? 1 : batch.command.count;
        continue;
      }
      ScenarioResult& scenario = result_.scenarios[batch.command.scenario];
      bool exploring = batch.confirms == kNothing && !batch.command.sweep;
      if (exploring && has_failed_enough(scenario)) {
        scenario.cut_short = true;
        continue;
      }
      if (exploring) {
        batch.command.max_failing = options_.max_failing_seeds - static_cast<uint32_t>(spent(scenario));
      }
      slot.batch = batch;
      slot.busy = true;
      slot.killed = false;
      slot.heartbeat = 0;
      slot.began = slot.last_beat = Clock::now();
      slot.zygote.begin(batch.command);
      return;
    }
  }

  void watch_clock(Slot& slot) {
    uint64_t beat = __atomic_load_n(&slot.zygote.status().heartbeat, __ATOMIC_RELAXED);
    if (beat != slot.heartbeat) slot.last_beat = Clock::now();
    slot.heartbeat = beat;
    if (Clock::now() - slot.last_beat < std::chrono::seconds(options_.wall_limit_s)) return;
    slot.killed = true;
    slot.last_beat = Clock::now();
    slot.zygote.kill_worker();
  }

  void read_results(Slot& slot) {
    char buffer[65536];
    ssize_t got = read(slot.zygote.results(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
      slot.busy = false;
      slot.dead = true;
      if (!fatal()) result_.incomplete.push_back("the process that had loaded the driver died");
      return;
    }
    slot.unread.append(buffer, static_cast<size_t>(got));
    for (size_t end; (end = slot.unread.find('\n')) != std::string::npos;) {
      Json message = Json::parse(slot.unread.substr(0, end), nullptr, false);
      slot.unread.erase(0, end + 1);
      if (message.is_object()) take(slot, message);
    }
  }

  void take(Slot& slot, const Json& message) {
    std::string type = message.value("type", "");
    ScenarioResult& scenario = result_.scenarios[slot.batch.command.scenario];
    bool exploring = slot.batch.confirms == kNothing;
    if (type == "error") {
      result_.usage_error = message.value("text", "");
    } else if (type == "finding") {
      take_finding(slot, message);
    } else if (type == "schedule" && !exploring) {
      result_.findings[slot.batch.confirms].schedule = message.value("text", "");
    } else if (type == "fault") {
      take_fault(message);
    } else if (type == "diverged") {
      result_.divergence = message.value("text", "");
    } else if (type == "trace") {
      result_.incomplete.push_back(message.value("text", ""));
    } else if (type == "seed" && exploring && !slot.batch.command.sweep) {
      ++scenario.seeds_run;
      scenario.ddi_calls += message.value("ddi_calls", uint64_t{0});
      if (message.value("failing", false)) ++scenario.failing_seeds;
      if (message.value("hung", false)) ++scenario.hanging_seeds;
      if (message.value("warned", false)) ++scenario.warned_seeds;
      if (message.contains("hash")) {
        result_.hashes[scenario.name][message.value("seed", uint64_t{0})] = {
            .trace = message.value("hash", uint64_t{0}), .findings = message.value("findings_hash", uint64_t{0})};
      }
      if (watch_.progress) {
        watch_.progress(*options_.scenarios[slot.batch.command.scenario], scenario.seeds_run, options_.seeds);
      }
    } else if (type == "exit") {
      take_exit(slot, message);
    }
  }

  void take_finding(Slot& slot, const Json& message) {
    std::string error;
    auto finding = verifier::from_json_value(message["finding"], &error);
    if (!finding) {
      result_.incomplete.push_back("a worker's finding could not be read: " + error);
      return;
    }
    if (slot.batch.confirms == kNothing) {
      size_t before = findings_.findings().size();
      findings_.add(*std::move(finding));
      if (watch_.found && findings_.findings().size() > before) watch_.found(findings_.findings().back());
    } else if (SeenFinding& seen = result_.findings[slot.batch.confirms];
               verifier::key_of(*finding) == verifier::key_of(seen.finding)) {
      seen.confirmed = true;
      seen.finding.history = finding->history;  // the run that confirms is traced
    }
  }

  void take_fault(const Json& message) {
    for (const Json& place : message["places"]) places_.insert(place.get<uint64_t>());
    if (!message.contains("place")) return;
    ++injected_;
    tried_.insert(message["place"].get<uint64_t>());
  }

  void take_exit(Slot& slot, const Json& message) {
    slot.busy = false;
    int code = message.value("code", -1);
    ScenarioResult& scenario = result_.scenarios[slot.batch.command.scenario];
    auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - slot.began);
    scenario.milliseconds += static_cast<uint64_t>(took.count());
    if (code == kWorkerDone) {
      scenario.cut_short |= has_failed_enough(scenario) && scenario.seeds_run < options_.seeds;
      return;
    }
    uint64_t seed = message.value("seed", uint64_t{0});
    if (code != kWorkerTainted) unexpected_death(slot, seed, message.value("signal", 0), code);
    // The rest of the batch goes on in a new worker.
    BatchCommand rest = slot.batch.command;
    uint64_t end = rest.first + rest.count;
    if (slot.batch.confirms != kNothing || seed + 1 >= end) return;
    rest.first = seed + 1;
    rest.count = end - rest.first;
    queue_.push_front({rest, kNothing});
  }

  // A worker died without saying why: killed for being too slow, or by something that no handler could catch.
  void unexpected_death(Slot& slot, uint64_t number, int signal, int code) {
    const Scenario& scenario = *options_.scenarios[slot.batch.command.scenario];
    bool sweep = slot.batch.command.sweep;
    uint64_t seed = sweep ? options_.first_seed : number;
    uint32_t fault = sweep ? static_cast<uint32_t>(number) : slot.batch.command.fault;
    std::string run = fmt::format("{} --seed {}", scenario.name, seed);
    if (fault) run += fmt::format(" --fault {}", fault);
    if (!sweep) {
      ScenarioResult& counts = result_.scenarios[slot.batch.command.scenario];
      ++counts.seeds_run;
      ++counts.failing_seeds;
    }
    if (slot.killed) {
      verifier::Finding hang = verifier::finding_for(nt::Broke::Hang);
      hang.sentence = fmt::format("the driver did not return within {} s of real time", options_.wall_limit_s);
      hang.run = {.driver = options_.driver,
                  .scenario = scenario.name,
                  .seed = seed,
                  .policy = nt::to_string(nt::policy_for_seed(seed)),
                  .schedule = {},
                  .processors = options_.processors == CheckOptions{}.processors ? 0 : options_.processors,
                  .profile = options_.profile,
                  .fault = fault,
                  .hang_edges = options_.hang_edges};
      findings_.add(hang);
      return;
    }
    if (code == kWorkerOurFault || signal == SIGABRT) {
      result_.our_faults.push_back(run);
      return;
    }
    std::string how =
        signal ? fmt::format("signal {} ({})", signal, strsignal(signal)) : fmt::format("exit code {}", code);
    result_.incomplete.push_back(fmt::format("{}: the process died with {}", run, how));
  }

  const CheckOptions& options_;
  const Watch& watch_;
  const Clock::time_point began_ = Clock::now();
  uint64_t left_out_ = 0;  // seeds, for want of time
  uint64_t injected_ = 0;
  std::set<uint64_t> places_, tried_;  // where something could fail, and where it was made to
  std::vector<std::unique_ptr<Slot>> slots_;
  std::deque<Batch> queue_;
  verifier::FindingSet findings_;
  CheckResult result_;
};

}  // namespace

CheckResult check(const CheckOptions& options, const Watch& watch) {
  signal(SIGPIPE, SIG_IGN);
  if (options.files.empty()) return Checker(options, watch).run();
  ScratchFolder scratch;
  CheckOptions with_scratch = options;
  with_scratch.scratch = scratch.path();
  return Checker(with_scratch, watch).run();
}

}  // namespace host
