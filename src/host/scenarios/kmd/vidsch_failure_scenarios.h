#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// The part of vidsch_scenarios() in which something goes wrong: engines that hang or fault, interrupts that are lost,
// clients that go with work queued.
std::vector<Scenario> vidsch_failure_scenarios();

}  // namespace host
