#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// Programs of Direct3D on a user-mode display driver: what they create, draw with, share and destroy, and what happens
// when something fails under them.
std::vector<Scenario> umd_scenarios();

}  // namespace host
