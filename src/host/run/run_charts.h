#pragma once

#include <cstddef>
#include <vector>

#include "verifier/report/report_charts.h"

namespace host {

// What the trace of one run tells about the memory of each segment and the work of each node. A trace that is damaged
// gives what is good of it; one without graphics gives empty charts. The caller fills in the name of the run.
verifier::Charts charts_of(std::vector<std::byte> trace);

}  // namespace host
