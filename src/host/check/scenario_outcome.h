#pragma once

#include "host/check/check.h"

namespace host {

// Says how a scenario ended, from what was counted: sets `outcome` and `reason`. The worst that is true counts: a fault
// of ours, an error, something that could not be tried, nothing that could be tried.
void judge(ScenarioResult& scenario);

}  // namespace host
