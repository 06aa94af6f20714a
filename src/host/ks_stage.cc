#include "host/ks_stage.h"

#include <fmt/format.h>

namespace host {
namespace {

bool is_bundled(const std::string& name) { return name == "testcam" || name == "ksalloc" || name == "kssg"; }

}  // namespace

KsStage::KsStage(ScenarioContext& context, const ks::Policy& policy)
    : context_(context),
      system_(context.machine, policy),
      driver_(system_, context.image),
      known_(is_bundled(context.image.name())) {
  if (driver_.start() || !undisturbed()) return;
  context.machine.broke(nt::Broke::KsRefused, fmt::format("{}: {}", driver_.name(), driver_.refusal()));
}

KsStage::~KsStage() { driver_.stop(); }

bool KsStage::expect(bool fact, base::Here where) const {
  if (!fact && known_ && undisturbed()) base::check_failed("what a scenario expects", "", where);
  return fact;
}

void KsStage::rest(base::TimeNs duration) {
  base::Executor& executor = machine().executor();
  base::TimeNs until = executor.now() + duration;
  while (executor.park(until, base::Point::Wait) != base::Wake::Deadline) {
  }
}

}  // namespace host
