#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// Programs of Direct3D 9 under which something fails: a callback, memory, the device, the hardware.
std::vector<Scenario> umd_failure_scenarios();

}  // namespace host
