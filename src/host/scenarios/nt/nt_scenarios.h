#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// The life of any kernel driver: loaded, left alone, unloaded, short of memory.
std::vector<Scenario> nt_scenarios();

}  // namespace host
