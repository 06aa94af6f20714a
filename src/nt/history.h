#pragma once

#include <string>
#include <vector>

#include "nt/probe.h"
#include "trace/writer.h"

namespace nt {

// What the trace's ring still knows: at most `limit` lines of what became of the subject, then what the thread called,
// half as many or, without a subject, `limit`. Each oldest first. Empty while nothing is traced.
std::vector<std::string> recent_history(trace::Writer& trace, Subject subject, uint32_t thread, size_t limit = 16);

}  // namespace nt
