#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// The hardware, or the memory of a client, is removed while a driver uses it.
std::vector<Scenario> removal_scenarios();

}  // namespace host
