#include "host/run/run_seed.h"

#include <functional>
#include <memory>

#include "host/run/profile.h"
#include "host/run/sanitizer_hooks.h"
#include "host/run/test_device.h"
#include "nt/store/host_files.h"
#include "trace/encoding.h"
#include "trace/sink.h"

namespace host {
namespace {

// Sanitizers make frames several times larger than they are on Windows: depth is judged in plain builds only.
constexpr size_t kStackBytes = base::kSanitizer == base::Sanitizer::None ? 24 * 1024 : 0;

// A number for a place in code that is the same in every process: its frames by module and offset.
uint64_t signature(const base::Stack& stack, const base::ModuleMap& modules) {
  uint64_t hash = trace::kHashStart;
  for (uint32_t i = 0; i < stack.count; ++i) {
    auto place = modules.find(stack.pc[i]);
    if (!place) continue;
    hash = trace::hash_step(hash, std::hash<std::string>{}(place->module->file), place->offset);
  }
  return hash;
}

std::vector<uint64_t> signatures(nt::Machine& machine, const verifier::FailNth& faults) {
  base::ModuleMap modules;
  modules.refresh();
  std::vector<uint64_t> places;
  for (uint32_t stack : faults.places()) places.push_back(signature(machine.stacks().get(stack), modules));
  return places;
}

// `run` outlives the machine.
nt::MachineOptions machine_options_for(const RunOptions& run, uint64_t seed) {
  nt::MachineOptions options;
  options.processors = run.processors;
  if (run.hang_edges) options.hang_edges = run.hang_edges;
  options.files_folder = run.files;
  options.seed = seed;
  options.graphics_version = graphics_version(run.profile, seed);
  options.policy = nt::policy_for_seed(seed);
  options.stack_bytes = kStackBytes;
  options.replay = run.replay ? &*run.replay : nullptr;
  return options;
}

}  // namespace

SeedResult run_seed(const Images& images, const Scenario& scenario, uint64_t seed, const SeedOptions& options,
                    verifier::Verifier& verifier, trace::Writer& writer) {
  images.restore();
  const RunOptions& run = options.run;
  verifier.set_fault_plan(nullptr);
  verifier.reset(context_of(run, scenario.name, seed));
  writer.reset();
  if (options.trace) {
    writer.turn_on();
  } else {
    writer.turn_off();
  }
  SeedResult result;
  std::unique_ptr<trace::FileSink> sink;
  if (!run.trace_file.empty()) {
    auto made = trace::FileSink::create(run.trace_file);
    if (made.ok()) {
      sink = made.take();
      writer.set_sink(sink.get());
    } else {
      result.trace_error = run.trace_file + ": " + made.failure().why();
    }
  }
  nt::MachineOptions machine_options = machine_options_for(run, seed);
  machine_options.record = options.record;
  nt::Machine machine(machine_options, options.observer ? *options.observer : verifier, writer);
  verifier.attach(&machine);
  TestDevice device(machine);
  std::optional<verifier::FailNth> faults;
  ScenarioContext context{
      .machine = machine, .image = images.kernel, .umd = images.umd(), .seed = seed, .fail_allocation = {}};
  context.fail_allocation = [&](uint32_t n) {
    faults.emplace(n);
    verifier.set_fault_plan(&*faults);
    context.failing = true;
  };
  if (run.fault) {
    faults.emplace(run.fault, verifier::kAllFaults);
    verifier.set_fault_plan(&*faults);
    context.failing = true;
    context.fail_allocation = [](uint32_t) {};
  }
  result.ended = machine.run([&] { scenario.run(context); });
  const std::string unfinished = result.ended == nt::Machine::Ended::Stopped ? verifier.unfinished() : std::string();
  tell_races(machine);
  result.divergence = machine.simulated().choices().divergence();
  result.trace_hash = writer.hash();
  result.events = writer.count();
  result.virtual_time = machine.simulated().elapsed();
  result.activity = context.activity;
  result.skipped = std::move(context.skipped);
  result.idle = std::move(context.idle);
  result.incomplete = unfinished.empty() ? std::move(context.incomplete) : unfinished;
  result.files_changed = machine.host_files().changed();
  if (run.fault) {
    result.fault_reached = faults->reached();
    result.fault_places = signatures(machine, *faults);
  }
  if (sink) {
    base::Result<> flushed = writer.flush();
    writer.set_sink(nullptr);
    base::Result<> closed = sink->close();
    if (!flushed.ok() || !closed.ok()) {
      result.trace_error = run.trace_file + ": " + (flushed.ok() ? closed : flushed).failure().why();
    }
  }
  verifier.set_fault_plan(nullptr);
  verifier.attach(nullptr);
  return result;
}

}  // namespace host
