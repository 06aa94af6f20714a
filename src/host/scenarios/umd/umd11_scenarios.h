#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// Programs of Direct3D 10 and 11; with a driver that has no such entry they do nothing.
std::vector<Scenario> umd11_scenarios();

}  // namespace host
