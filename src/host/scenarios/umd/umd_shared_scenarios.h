#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// Programs that share resources with each other, in processes of their own.
std::vector<Scenario> umd_shared_scenarios();

}  // namespace host
