#pragma once

#include <vector>

#include "host/scenario.h"

namespace host {

// Display miniport drivers while they start, stop, sleep and wake: what most of them are wrong in first.
std::vector<Scenario> start_scenarios();

}  // namespace host
