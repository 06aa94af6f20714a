#pragma once

#include <optional>

#include "nt/request_waits.h"

namespace ks {

// Of a streaming request that a program waits for in vain: which stream pointers of the driver hold its frames, and
// where they were locked or cloned; or that the driver has not come to them, and its Process routine.
std::optional<nt::RequestStory> explain_request(nt::Machine& machine, IRP& irp);

}  // namespace ks
