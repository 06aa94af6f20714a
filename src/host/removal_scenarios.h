#pragma once

#include <vector>

#include "host/scenario.h"

namespace host {

// What a driver relies on goes while it is at work: the hardware, or the memory of a client.
std::vector<Scenario> removal_scenarios();

}  // namespace host
