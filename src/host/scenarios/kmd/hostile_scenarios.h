#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// Clients that submit what is wrong on purpose.
std::vector<Scenario> hostile_scenarios();

}  // namespace host
