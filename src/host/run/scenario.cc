#include "host/run/scenario.h"

#include <fnmatch.h>

#include "host/scenarios/kmd/alloc_scenarios.h"
#include "host/scenarios/kmd/context_allocation_scenarios.h"
#include "host/scenarios/kmd/start_scenarios.h"
#include "host/scenarios/kmd/vidmm_scenarios.h"
#include "host/scenarios/kmd/vidsch_scenarios.h"
#include "host/scenarios/ks/ks_scenarios.h"
#include "host/scenarios/nt/nt_scenarios.h"
#include "host/scenarios/umd/umd_scenarios.h"

namespace host {

void ScenarioContext::skip(std::string why) {
  if (skipped.empty()) skipped = std::move(why);
}

void ScenarioContext::leave_incomplete(std::string why) {
  if (incomplete.empty() && !failing) incomplete = std::move(why);
}

void ScenarioContext::leave_idle(std::string why) {
  if (idle.empty() && !failing) idle = std::move(why);
}

const std::vector<Scenario>& all_scenarios() {
  static const std::vector<Scenario> scenarios = [] {
    std::vector<Scenario> all = nt_scenarios();
    for (const auto& more :
         {nt_pnp_scenarios(), nt_request_scenarios(), alloc_scenarios(), start_scenarios(), vidsch_scenarios(),
          vidmm_scenarios(), context_allocation_scenarios(), umd_scenarios(), ks_scenarios(), ks_connect_scenarios(),
          ks_format_scenarios(), ks_frame_scenarios(), ks_control_scenarios(), ks_hostile_scenarios()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return scenarios;
}

std::vector<const Scenario*> find_scenarios(std::string_view pattern) {
  std::vector<const Scenario*> found;
  for (const Scenario& scenario : all_scenarios()) {
    if (fnmatch(std::string(pattern).c_str(), scenario.name, 0) == 0) found.push_back(&scenario);
  }
  return found;
}

}  // namespace host
