#include "host/scenarios/ks/ks_environment.h"

#include <fmt/format.h>

namespace host {
namespace {

bool is_bundled(const std::string& name) { return name == "testcam" || name == "ksalloc" || name == "kssg"; }

}  // namespace

KsEnvironment::KsEnvironment(ScenarioContext& context, const ks::Policy& policy)
    : context_(context),
      system_(context.machine, policy),
      driver_(system_, context.image),
      known_(is_bundled(context.image.name())) {
  if (driver_.start() || !undisturbed()) return;
  context.machine.report_violation(nt::Violation::KsRefused, fmt::format("{}: {}", driver_.name(), driver_.refusal()));
}

KsEnvironment::~KsEnvironment() { driver_.stop(); }

bool KsEnvironment::expect(bool fact, base::Here where) const {
  if (!fact && known_ && undisturbed()) base::check_failed("what a scenario expects", "", where);
  return fact;
}

void KsEnvironment::rest(base::TimeNs duration) { machine().executor().sleep_for(duration); }

}  // namespace host
