#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// The GPU scheduler and a driver's part in it: submission, preemption, synchronisation, and everything that can go
// wrong with an engine.
std::vector<Scenario> vidsch_scenarios();

}  // namespace host
