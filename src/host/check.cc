#include "host/check.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>

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

constexpr uint64_t kBatchSeeds = 64;
constexpr int kPollMs = 500;

class Checker {
 public:
  Checker(const CheckOptions& options, const Progress& progress) : options_(options), progress_(progress) {
    for (const Scenario* scenario : options.scenarios) result_.scenarios.push_back({.name = scenario->name});
  }

  CheckResult run() {
    uint32_t jobs = options_.jobs ? options_.jobs : static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
    for (uint32_t i = 0; i < jobs; ++i) slots_.push_back(std::make_unique<Slot>(options_));
    plan_exploration();
    work();
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
    uint64_t heartbeat = 0;
    uint32_t idle_polls = 0;
  };
  static constexpr size_t kNothing = ~size_t{0};

  bool fatal() const { return !result_.usage_error.empty() || !result_.divergence.empty(); }

  void plan_exploration() {
    for (uint32_t i = 0; i < options_.scenarios.size(); ++i) {
      for (uint64_t done = 0; done < options_.seeds; done += kBatchSeeds) {
        uint64_t count = std::min(kBatchSeeds, options_.seeds - done);
        queue_.push_back({{i, options_.first_seed + done, count, 0, false}, kNothing});
      }
    }
  }

  void plan_confirmation() {
    for (size_t i = 0; i < result_.findings.size(); ++i) {
      const verifier::RunContext& run = result_.findings[i].finding.run;
      queue_.push_back({{scenario_index(run.scenario), run.seed, 1, 1, options_.keep_schedules}, i});
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
      ScenarioResult& scenario = result_.scenarios[batch.command.scenario];
      if (batch.confirms == kNothing && scenario.failing_seeds >= options_.max_failing_seeds) {
        scenario.cut_short = true;
        continue;
      }
      if (batch.confirms == kNothing) {
        batch.command.max_failing = options_.max_failing_seeds - static_cast<uint32_t>(scenario.failing_seeds);
      }
      slot.batch = batch;
      slot.busy = true;
      slot.killed = false;
      slot.heartbeat = 0;
      slot.idle_polls = 0;
      slot.zygote.begin(batch.command);
      return;
    }
  }

  void watch_clock(Slot& slot) {
    uint64_t beat = __atomic_load_n(&slot.zygote.status().heartbeat, __ATOMIC_RELAXED);
    slot.idle_polls = beat == slot.heartbeat ? slot.idle_polls + 1 : 0;
    slot.heartbeat = beat;
    if (slot.idle_polls < options_.wall_limit_s * 1000 / kPollMs) return;
    slot.killed = true;
    slot.idle_polls = 0;
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
    } else if (type == "diverged") {
      result_.divergence = message.value("text", "");
    } else if (type == "trace") {
      result_.incomplete.push_back(message.value("text", ""));
    } else if (type == "seed" && exploring) {
      ++scenario.seeds_run;
      scenario.ddi_calls += message.value("ddi_calls", uint64_t{0});
      if (message.value("failing", false)) ++scenario.failing_seeds;
      if (message.contains("hash")) {
        result_.hashes[scenario.name][message.value("seed", uint64_t{0})] = message.value("hash", uint64_t{0});
      }
      if (progress_) progress_(*options_.scenarios[slot.batch.command.scenario], scenario.seeds_run, options_.seeds);
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
      findings_.add(*std::move(finding));
    } else if (SeenFinding& seen = result_.findings[slot.batch.confirms];
               verifier::key_of(*finding) == verifier::key_of(seen.finding)) {
      seen.confirmed = true;
    }
  }

  void take_exit(Slot& slot, const Json& message) {
    slot.busy = false;
    int code = message.value("code", -1);
    ScenarioResult& scenario = result_.scenarios[slot.batch.command.scenario];
    if (code == kWorkerDone) {
      scenario.cut_short |= scenario.failing_seeds >= options_.max_failing_seeds && scenario.seeds_run < options_.seeds;
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
  void unexpected_death(Slot& slot, uint64_t seed, int signal, int code) {
    const Scenario& scenario = *options_.scenarios[slot.batch.command.scenario];
    ScenarioResult& counts = result_.scenarios[slot.batch.command.scenario];
    ++counts.seeds_run;
    ++counts.failing_seeds;
    if (slot.killed) {
      verifier::Finding hang;
      hang.rule = verifier::rule_for(nt::Broke::Hang).id;
      hang.sentence = fmt::format("the driver did not return within {} s of real time", options_.wall_limit_s);
      hang.run = {.driver = options_.driver,
                  .scenario = scenario.name,
                  .seed = seed,
                  .policy = nt::to_string(nt::policy_for_seed(seed)),
                  .schedule = {},
                  .processors = options_.processors == CheckOptions{}.processors ? 0 : options_.processors};
      findings_.add(hang);
      return;
    }
    if (code == kWorkerOurFault || signal == SIGABRT) {
      result_.our_faults.push_back(fmt::format("{} --seed {}", scenario.name, seed));
      return;
    }
    std::string how =
        signal ? fmt::format("signal {} ({})", signal, strsignal(signal)) : fmt::format("exit code {}", code);
    result_.incomplete.push_back(fmt::format("{} --seed {}: the process died with {}", scenario.name, seed, how));
  }

  const CheckOptions& options_;
  const Progress& progress_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::deque<Batch> queue_;
  verifier::FindingSet findings_;
  CheckResult result_;
};

}  // namespace

CheckResult check(const CheckOptions& options, const Progress& progress) {
  signal(SIGPIPE, SIG_IGN);
  return Checker(options, progress).run();
}

}  // namespace host
