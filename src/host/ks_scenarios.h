#pragma once

#include <vector>

#include "host/scenario.h"

namespace host {

// The life of a minidriver's devices, filters, pins and frames: ks/…
std::vector<Scenario> ks_scenarios();
// … of kernel connections and allocators.
std::vector<Scenario> ks_connect_scenarios();
// … and what a hostile program sends.
std::vector<Scenario> ks_hostile_scenarios();

}  // namespace host
