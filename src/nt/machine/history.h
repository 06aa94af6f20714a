#pragma once

#include <string>
#include <vector>

#include "nt/machine/machine_observer.h"
#include "trace/writer.h"

namespace nt {

// Lines from the trace's ring: at most `limit` events of the subject, then the thread's calls: at most `limit` / 2 or,
// without a subject, `limit`. Each part oldest first. Empty while nothing is traced.
std::vector<std::string> recent_history(trace::Writer& trace, Subject subject, uint32_t thread, size_t limit = 16);

}  // namespace nt
