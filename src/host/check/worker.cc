#include "host/check/worker.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>

#include "host/run/files_copy.h"
#include "host/run/sanitizer_hooks.h"
#include "nt/fault/fault.h"
#include "trace/sink.h"
#include "verifier/finding/finding_json.h"
#include "verifier/rules/rules.h"

namespace host {
namespace {

using Json = nlohmann::ordered_json;

// What the process needs to say its last words, from wherever it is.
struct Speaker {
  int out = -1;
  uint64_t seed = 0;
  const SeedRunner* runner = nullptr;

  void say(const Json& message) const {
    std::string line = verifier::dump_json(message, -1) + "\n";
    for (size_t done = 0; done < line.size();) {
      ssize_t wrote = write(out, line.data() + done, line.size() - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) _exit(1);  // the reader has gone
      done += static_cast<size_t>(wrote);
    }
  }
  void say_findings() const {
    for (const verifier::Finding& finding : runner->findings()) {
      say({{"type", "finding"}, {"seed", seed}, {"finding", verifier::to_json_value(finding)}});
    }
  }
  int end(int code) const {
    say({{"type", "end"}});
    return code;
  }
};

Speaker g_speaker;

[[noreturn]] void last_words() {
  g_speaker.say_findings();
  const std::string unfinished = g_speaker.runner->unfinished();
  const std::span<const verifier::Finding> findings = g_speaker.runner->findings();
  Json ended = {{"type", "seed"}, {"seed", g_speaker.seed}, {"failing", verifier::has_error(findings)}};
  if (!unfinished.empty()) ended["incomplete"] = unfinished;
  g_speaker.say(ended);
  _exit(g_speaker.end(kWorkerTainted));
}

// After these the process's own memory may be damaged.
bool taints(const verifier::Finding& finding) {
  for (nt::Violation what : {nt::Violation::Crash, nt::Violation::PoolOverrun, nt::Violation::PoolUseAfterFree,
                             nt::Violation::StackTooDeep}) {
    if (finding.rule == verifier::rule_for(what).id) return true;
  }
  return false;
}

bool hangs(const verifier::Finding& finding) { return finding.rule == verifier::rule_for(nt::Violation::Hang).id; }

// No run passes so many places: nothing is made to fail in it.
constexpr uint32_t kNeverReached = UINT32_MAX;

// One batch on its way. Seeds and failures of a sweep differ in what a number means and in what is said of it.
class BatchRun {
 public:
  BatchRun(SeedRunner& runner, const CheckOptions& options, const BatchCommand& command, WorkerStatus& status)
      : runner_(runner),
        options_(options),
        command_(command),
        status_(status),
        scenario_(*options.scenarios[command.scenario]),
        files_(options.run.files, options.scratch) {
    seed_options_.run = options.run;
    seed_options_.run.fault = command.fault;
    seed_options_.trace = command.trace || options.hashes || !options.run.trace_file.empty();
  }

  int run() {
    for (uint64_t number = command_.first; number < command_.first + command_.count; ++number) {
      status_.seed = g_speaker.seed = number;
      if (!freshen_files()) return g_speaker.end(kWorkerDone);
      const Go go = command_.sweep ? run_fault(number) : run_one(number);
      ++status_.heartbeat;
      if (found(&taints)) return g_speaker.end(kWorkerTainted);
      if (go == Go::NoFurther) break;
    }
    return g_speaker.end(kWorkerDone);
  }

 private:
  enum class Go : uint8_t { On, NoFurther };

  template <typename Predicate>
  bool found(Predicate predicate) const {
    auto findings = runner_.findings();
    return std::any_of(findings.begin(), findings.end(), predicate);
  }

  // Without its files a driver would be judged for what it does not find.
  bool freshen_files() {
    auto fresh = files_.fresh();
    if (fresh.ok()) {
      seed_options_.run.files = fresh.take().string();
      return true;
    }
    g_speaker.say({{"type", "error"}, {"text", fresh.error()}});
    return false;
  }

  SeedResult run_with(uint64_t seed) {
    SeedResult result = runner_.run(scenario_, seed, seed_options_);
    if (result.files_changed) files_.spoil();
    g_speaker.say_findings();
    return result;
  }

  // Whether the seed of a sweep comes to its end by itself: what lies behind a finding at which it stops could never be
  // made to fail. What is found here is no business of the sweep: seeds are explored for it.
  Go run_undisturbed() {
    seed_options_.run.fault = kNeverReached;
    SeedResult result = runner_.run(scenario_, command_.seed, seed_options_);
    if (result.files_changed) files_.spoil();
    if (result.ended == nt::Machine::Ended::Returned) return Go::On;
    g_speaker.say({{"type", "stopped"}});
    return Go::NoFurther;
  }

  // A sweep ends when it no longer comes to a new place.
  Go run_fault(uint64_t fault) {
    if (fault == 0) return run_undisturbed();
    seed_options_.run.fault = static_cast<uint32_t>(fault);
    SeedResult result = run_with(command_.seed);
    Json message = {{"type", "fault"}, {"places", Json::array()}};
    for (uint64_t place : result.fault_places) {
      if (told_places_.insert(place).second) message["places"].push_back(place);
    }
    if (result.fault_reached) message["place"] = result.fault_places[fault - 1];
    if (!result.incomplete.empty()) message["incomplete"] = result.incomplete;
    g_speaker.say(message);
    return result.fault_reached ? Go::On : Go::NoFurther;
  }

  Go run_one(uint64_t seed) {
    nt::Schedule schedule;
    if (command_.keep_schedule) seed_options_.record = &schedule;
    SeedResult result = run_with(seed);
    seed_options_.record = nullptr;
    if (result.divergence) g_speaker.say({{"type", "diverged"}, {"text", result.divergence->what}});
    if (!result.trace_error.empty()) g_speaker.say({{"type", "trace"}, {"text", result.trace_error}});
    if (command_.keep_schedule) {
      schedule.header = {.driver = options_.run.driver,
                         .build_id = runner_.build_id(),
                         .scenario = scenario_.name,
                         .seed = seed,
                         .processors = options_.run.processors,
                         .hang_edges = options_.run.hang_edges};
      g_speaker.say({{"type", "schedule"}, {"seed", seed}, {"text", schedule.to_text()}});
    }
    const bool failed = verifier::has_error(runner_.findings());
    const bool hung = found(&hangs);
    Json ended = {{"type", "seed"}, {"seed", seed}, {"failing", failed}};
    if (hung) ended["hung"] = true;
    if (!failed && !runner_.findings().empty()) ended["warned"] = true;
    for (const verifier::ActivityCount& one : verifier::kActivityCounts) {
      if (uint64_t count = result.activity.*one.count) ended["activity"][one.key] = count;
    }
    if (!result.skipped.empty()) ended["skipped"] = result.skipped;
    if (!result.idle.empty()) ended["idle"] = result.idle;
    if (!result.incomplete.empty()) ended["incomplete"] = result.incomplete;
    if (options_.hashes) {
      ended["hash"] = result.trace_hash;
      ended["findings_hash"] = verifier::hash_of(runner_.findings());
    }
    g_speaker.say(ended);
    failing_ += failed + (hung ? kHangingSeed : 0);
    return failing_ >= command_.max_failing ? Go::NoFurther : Go::On;
  }

  SeedRunner& runner_;
  const CheckOptions& options_;
  const BatchCommand& command_;
  WorkerStatus& status_;
  const Scenario& scenario_;
  FilesCopy files_;
  SeedOptions seed_options_;
  uint32_t failing_ = 0;
  std::set<uint64_t> told_places_;
};

class ImagesRunner final : public SeedRunner {
 public:
  ImagesRunner(const Images& images, const CheckOptions& options)
      : images_(images), judge_({.drivers = {images.file_name()}}, modules_) {
    for (const auto& [rule, action] : options.policy) judge_.set_action(rule, action);
    if (options.hashes) writer_.leave_out_places();
  }

  SeedResult run(const Scenario& scenario, uint64_t seed, const SeedOptions& options) override {
    return run_seed(images_, scenario, seed, options, judge_, writer_);
  }
  std::span<const verifier::Finding> findings() const override { return judge_.findings(); }
  std::string unfinished() const override { return judge_.unfinished(); }
  std::string build_id() const override { return images_.build_id(); }

 private:
  const Images& images_;
  base::ModuleMap modules_;
  verifier::Verifier judge_;
  trace::Writer writer_;
};

}  // namespace

int run_batch(SeedRunner& runner, const CheckOptions& options, const BatchCommand& command, int out,
              WorkerStatus& status) {
  g_speaker = {.out = out, .seed = command.first, .runner = &runner};
  return BatchRun(runner, options, command, status).run();
}

bool DriverWorker::load(std::string* error) {
  auto images = Images::load(options_.run.driver, options_.kmd, options_.files);
  if (!images.ok()) {
    *error = images.error();
    return false;
  }
  images_ = images.take();
  return true;
}

void DriverWorker::run(const BatchCommand& command, int out, WorkerStatus& status) {
  nt::install_fault_handlers();
  install_sanitizer_hooks(&last_words);
  ImagesRunner runner(*images_, options_);
  _exit(run_batch(runner, options_, command, out, status));
}

}  // namespace host
