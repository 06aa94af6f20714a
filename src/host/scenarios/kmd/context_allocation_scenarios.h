#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// Context allocations: what a driver keeps of a context while others have the engine.
std::vector<Scenario> context_allocation_scenarios();

}  // namespace host
