#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// Video memory and a driver's part in it: residency, paging, addresses, locks. Where the driver has a workload every
// byte is compared with what was written.
std::vector<Scenario> vidmm_scenarios();

}  // namespace host
