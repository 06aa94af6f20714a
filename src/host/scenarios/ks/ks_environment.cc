#include "host/scenarios/ks/ks_environment.h"

#include <numeric>

namespace host {

KsEnvironment::KsEnvironment(ScenarioContext& context, const ks::Policy& policy)
    : context_(context), before_(context.activity), system_(context.machine, policy), driver_(system_, context.image) {
  if (!driver_.start()) leave_incomplete("the driver did not start: " + driver_.refusal());
}

KsEnvironment::~KsEnvironment() {
  driver_.stop();
  frames();
}

bool KsEnvironment::expect(bool fact, const std::string& words) {
  if (!fact) leave_incomplete("expected: " + words);
  return fact;
}

void KsEnvironment::leave_incomplete(const std::string& why) {
  frames();
  if (undisturbed()) context_.leave_incomplete(why);
}

// A run that ends early keeps what was counted last: the environment's destructor does not run then.
uint64_t KsEnvironment::frames() {
  auto calls = system_.ddi_calls();
  constexpr uint64_t kDriverEntry = 1;  // the class does not call it
  context_.activity.ddi_calls = std::accumulate(calls.begin(), calls.end(), before_.ddi_calls + kDriverEntry);
  context_.activity.frames = before_.frames + system_.frames();
  return context_.activity.frames;
}

void KsEnvironment::rest(base::TimeNs duration) {
  frames();
  machine().executor().sleep_for(duration);
}

}  // namespace host
