#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// The part of vidmm_scenarios() that follows single buffers: their GPU addresses, offers, locks, and sharing.
std::vector<Scenario> vidmm_buffer_scenarios();

}  // namespace host
