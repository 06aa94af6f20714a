#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// The life of any kernel driver: loaded, left alone, unloaded, short of memory.
std::vector<Scenario> nt_scenarios();
// Its devices, on a bus of ours: Plug and Play, power, removal.
std::vector<Scenario> nt_pnp_scenarios();
// Programs that use its devices.
std::vector<Scenario> nt_request_scenarios();

}  // namespace host
