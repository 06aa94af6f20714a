#pragma once

#include <vector>

#include "host/run/scenario.h"

namespace host {

// The life of a minidriver's devices, filters, pins and frames: ks/…
std::vector<Scenario> ks_scenarios();
// The scenarios of kernel connections and allocators.
std::vector<Scenario> ks_connect_scenarios();
// The scenarios of odd video formats, of odd frames, of a camera's controls.
std::vector<Scenario> ks_format_scenarios();
std::vector<Scenario> ks_frame_scenarios();
std::vector<Scenario> ks_control_scenarios();
// The scenarios of hostile requests.
std::vector<Scenario> ks_hostile_scenarios();

}  // namespace host
