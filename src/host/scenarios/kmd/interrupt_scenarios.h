#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// The part of vidsch_scenarios() that is about interrupts alone.
std::vector<Scenario> interrupt_scenarios();

}  // namespace host
