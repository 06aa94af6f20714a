#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// The life of allocations on a display miniport driver: created, opened, shared, destroyed, under queued work, with a
// dying process, a lost device, an adapter that stops or is pulled out.
std::vector<Scenario> alloc_scenarios();

}  // namespace host
