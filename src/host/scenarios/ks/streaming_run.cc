#include "host/scenarios/ks/streaming_run.h"

#include <fmt/format.h>

#include "base/debug/module_map.h"
#include "nt/fault/fault.h"
#include "nt/machine/forwarding_observer.h"
#include "trace/writer.h"
#include "verifier/watch/verifier.h"

namespace host {
namespace {

// Lets a run go on after whatever the judge has seen.
class Lenient final : public nt::ForwardingObserver {
 public:
  using nt::ForwardingObserver::ForwardingObserver;

  nt::Then report_violation(const nt::ViolationReport& violation) override {
    nt::ForwardingObserver::report_violation(violation);
    return nt::Then::GoOn;
  }
};

}  // namespace

base::Expected<DriverImage, std::string> load_minidriver(const std::string& path, const std::string& device) {
  auto image = DriverImage::load(path, {.device = device});
  if (!image.ok() || image.value().is_streaming()) return image;
  return fmt::format("{}: no minidriver of AVStream: it never calls KsInitializeDriver", path);
}

bool StreamingRun::play(const std::function<void(ks::System&)>& body, std::vector<verifier::Finding>& findings) const {
  nt::install_fault_handlers();
  base::ModuleMap modules;
  verifier::Options options;
  for (const DriverImage* image : images) options.drivers.push_back(image->file_name());
  verifier::Verifier judge(options, modules);
  judge.reset({.driver = images.front()->path(),
               .scenario = name,
               .seed = seed,
               .policy = to_string(nt::policy_for_seed(seed)),
               .schedule = {},
               .processors = 0});
  trace::Writer writer;
  writer.turn_off();
  nt::MachineOptions machine_options;
  machine_options.seed = seed;
  machine_options.files_folder = files;
  machine_options.policy = nt::policy_for_seed(seed);
  Lenient lenient(judge);
  nt::Machine machine(machine_options, keep_going ? static_cast<nt::MachineObserver&>(lenient) : judge, writer);
  judge.attach(&machine);
  auto ended = machine.run([&] {
    ks::System system(machine, policy);
    body(system);
  });
  findings = judge.findings();
  judge.attach(nullptr);
  return ended == nt::Machine::Ended::Returned;
}

}  // namespace host
