#include "host/worker.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>

#include "host/files_copy.h"
#include "host/run_seed.h"
#include "host/sanitizer_hooks.h"
#include "nt/fault.h"
#include "trace/sink.h"
#include "verifier/finding_json.h"
#include "verifier/rules.h"

namespace host {
namespace {

using Json = nlohmann::ordered_json;

// What the process needs to say its last words, from wherever it is.
struct Speaker {
  int out = -1;
  uint64_t seed = 0;
  const verifier::Verifier* verifier = nullptr;

  void say(const Json& message) const {
    std::string line = verifier::dump_json(message, -1) + "\n";
    for (size_t done = 0; done < line.size();) {
      ssize_t wrote = write(out, line.data() + done, line.size() - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) _exit(1);  // nobody listens any more
      done += static_cast<size_t>(wrote);
    }
  }
  void say_fault(const SeedResult& result, std::set<uint64_t>& told) const {
    Json message = {{"type", "fault"}, {"places", Json::array()}};
    for (uint64_t place : result.fault_places) {
      if (told.insert(place).second) message["places"].push_back(place);
    }
    if (result.fault_reached) message["place"] = result.fault_places[seed - 1];
    say(message);
  }
  void say_findings() const {
    for (const verifier::Finding& finding : verifier->findings()) {
      say({{"type", "finding"}, {"seed", seed}, {"finding", verifier::to_json_value(finding)}});
    }
  }
};

Speaker g_speaker;

[[noreturn]] void last_words() {
  g_speaker.say_findings();
  g_speaker.say({{"type", "seed"}, {"seed", g_speaker.seed}, {"failing", true}});
  _exit(kWorkerTainted);
}

// After these the process's own memory may be damaged.
bool taints(const verifier::Finding& finding) {
  for (nt::Broke what :
       {nt::Broke::Crash, nt::Broke::PoolOverrun, nt::Broke::PoolUseAfterFree, nt::Broke::StackTooDeep}) {
    if (finding.rule == verifier::rule_for(what).id) return true;
  }
  return false;
}

SeedOptions seed_options_for(const CheckOptions& options, const BatchCommand& command) {
  SeedOptions seed_options;
  seed_options.driver = options.driver;
  seed_options.processors = options.processors;
  seed_options.profile = options.profile;
  seed_options.fault = command.fault;
  seed_options.hang_edges = options.hang_edges;
  seed_options.trace = command.trace || options.hashes || !options.trace_file.empty();
  seed_options.trace_file = options.trace_file;
  if (options.replay) seed_options.replay = &*options.replay;
  return seed_options;
}

// Without its files a driver would be judged for what it does not find.
std::string fresh_files(FilesCopy& files) {
  std::string error;
  auto fresh = files.fresh(&error);
  if (fresh.ok()) return fresh.take();
  g_speaker.say({{"type", "error"}, {"text", error}});
  _exit(kWorkerDone);
}

}  // namespace

void run_worker(const Images& images, const CheckOptions& options, const BatchCommand& command, int out,
                WorkerStatus* status) {
  nt::install_fault_handlers();
  install_sanitizer_hooks(&last_words);
  base::ModuleMap modules;
  verifier::Verifier judge({.drivers = {images.file_name()}}, modules);
  for (const auto& [rule, action] : options.policy) judge.set_action(rule, action);
  trace::Writer writer;
  if (options.hashes) writer.leave_out_places();
  g_speaker = {out, 0, &judge};
  const Scenario& scenario = *options.scenarios[command.scenario];
  FilesCopy files(options.files, options.scratch);

  auto tainted = [&] { return std::any_of(judge.findings().begin(), judge.findings().end(), &taints); };
  if (command.sweep) {
    std::set<uint64_t> told;
    for (uint64_t fault = command.first; fault < command.first + command.count; ++fault) {
      status->seed = g_speaker.seed = fault;
      SeedOptions seed_options = seed_options_for(options, command);
      seed_options.fault = static_cast<uint32_t>(fault);
      seed_options.files = fresh_files(files);
      SeedResult result = run_seed(images, scenario, options.first_seed, seed_options, judge, writer);
      if (result.files_changed) files.spoil();
      g_speaker.say_findings();
      g_speaker.say_fault(result, told);
      ++status->heartbeat;
      if (tainted()) _exit(kWorkerTainted);
      if (!result.fault_reached) break;
    }
    _exit(kWorkerDone);
  }

  uint32_t failing = 0;
  for (uint64_t seed = command.first; seed < command.first + command.count; ++seed) {
    status->seed = g_speaker.seed = seed;
    nt::Schedule schedule;
    SeedOptions seed_options = seed_options_for(options, command);
    if (command.keep_schedule) seed_options.record = &schedule;
    seed_options.files = fresh_files(files);
    SeedResult result = run_seed(images, scenario, seed, seed_options, judge, writer);

    if (result.files_changed) files.spoil();
    g_speaker.say_findings();
    if (result.divergence) g_speaker.say({{"type", "diverged"}, {"text", result.divergence->what}});
    if (!result.trace_error.empty()) g_speaker.say({{"type", "trace"}, {"text", result.trace_error}});
    if (command.keep_schedule) {
      schedule.header = {options.driver, images.build_id(),  scenario.name,
                         seed,           options.processors, options.hang_edges};
      g_speaker.say({{"type", "schedule"}, {"seed", seed}, {"text", schedule.to_text()}});
    }
    const bool failed = verifier::has_error(judge.findings());
    const bool hung = std::any_of(judge.findings().begin(), judge.findings().end(), [](const auto& finding) {
      return finding.rule == verifier::rule_for(nt::Broke::Hang).id;
    });
    Json ended = {{"type", "seed"}, {"seed", seed}, {"failing", failed}};
    if (hung) ended["hung"] = true;
    if (!failed && !judge.findings().empty()) ended["warned"] = true;
    if (result.ddi_calls) ended["ddi_calls"] = result.ddi_calls;
    if (options.hashes) {
      ended["hash"] = result.trace_hash;
      ended["findings_hash"] = verifier::hash_of(judge.findings());
    }
    g_speaker.say(ended);
    ++status->heartbeat;
    if (tainted()) _exit(kWorkerTainted);
    failing += failed + (hung ? kHangingSeed : 0);
    if (failing >= command.max_failing) break;
  }
  _exit(kWorkerDone);
}

}  // namespace host
