#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// Display miniport drivers while they start, stop, sleep and wake: most new drivers fail here first.
std::vector<Scenario> start_scenarios();

}  // namespace host
