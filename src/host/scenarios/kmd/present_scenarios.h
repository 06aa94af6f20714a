#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// The part of vidsch_scenarios() that is about DxgkDdiPresent, as far as that goes without a display.
std::vector<Scenario> present_scenarios();

}  // namespace host
