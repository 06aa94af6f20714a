#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// Programs of Direct3D 10 and 11 whose frames go round through a few buffers.
std::vector<Scenario> umd11_flip_scenarios();

}  // namespace host
