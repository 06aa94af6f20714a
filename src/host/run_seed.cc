#include "host/run_seed.h"

#include <functional>
#include <memory>

#include "host/profile.h"
#include "host/sanitizer_hooks.h"
#include "host/test_device.h"
#include "nt/host_files.h"
#include "trace/encoding.h"
#include "trace/sink.h"

namespace host {
namespace {

// Sanitizers make frames several times larger than they are on Windows: depth is judged in plain builds only.
constexpr size_t kStackBytes = base::kSanitizer == base::Sanitizer::None ? 24 * 1024 : 0;

// What a place in code is in every process: its frames by module and offset, as one number.
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

}  // namespace

SeedResult run_seed(const Images& images, const Scenario& scenario, uint64_t seed, const SeedOptions& options,
                    verifier::Verifier& verifier, trace::Writer& writer) {
  images.restore();
  const nt::PolicyKind policy = nt::policy_for_seed(seed);
  verifier.set_fault_plan(nullptr);
  verifier.reset({.driver = options.driver,
                  .scenario = scenario.name,
                  .seed = seed,
                  .policy = to_string(policy),
                  .schedule = {},
                  .processors = options.processors == SeedOptions{}.processors ? 0 : options.processors,
                  .profile = options.profile,
                  .fault = options.fault,
                  .hang_edges = options.hang_edges});
  writer.reset();
  if (options.trace) {
    writer.turn_on();
  } else {
    writer.turn_off();
  }
  SeedResult result;
  std::unique_ptr<trace::FileSink> sink;
  if (!options.trace_file.empty()) {
    auto made = trace::FileSink::create(options.trace_file);
    if (made.ok()) {
      sink = made.take();
      writer.set_sink(sink.get());
    } else {
      result.trace_error = options.trace_file + ": " + made.failure().why();
    }
  }
  nt::MachineOptions machine_options;
  machine_options.processors = options.processors;
  if (options.hang_edges) machine_options.hang_edges = options.hang_edges;
  machine_options.files_folder = options.files;
  machine_options.seed = seed;
  machine_options.graphics_version = graphics_version(options.profile, seed);
  machine_options.policy = policy;
  machine_options.stack_bytes = kStackBytes;
  machine_options.replay = options.replay;
  machine_options.record = options.record;
  nt::Machine machine(machine_options, options.probe ? *options.probe : verifier, writer);
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
  if (options.fault) {
    faults.emplace(options.fault, verifier::kAllFaults);
    verifier.set_fault_plan(&*faults);
    context.failing = true;
    context.fail_allocation = [](uint32_t) {};
  }
  result.ended = machine.run([&] { scenario.run(context); });
  tell_races(machine);
  result.divergence = machine.simulated().chance().divergence();
  result.trace_hash = writer.hash();
  result.events = writer.count();
  result.virtual_time = machine.simulated().elapsed();
  result.ddi_calls = context.ddi_calls;
  result.files_changed = machine.host_files().changed();
  if (options.fault) {
    result.fault_reached = faults->reached();
    result.fault_places = signatures(machine, *faults);
  }
  if (sink) {
    base::Result<> flushed = writer.flush();
    writer.set_sink(nullptr);
    base::Result<> closed = sink->close();
    if (!flushed.ok() || !closed.ok()) {
      result.trace_error = options.trace_file + ": " + (flushed.ok() ? closed : flushed).failure().why();
    }
  }
  verifier.set_fault_plan(nullptr);
  verifier.attach(nullptr);
  return result;
}

}  // namespace host
