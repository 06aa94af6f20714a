#pragma once

#include <optional>

#include "nt/io/request_waits.h"

namespace ks {

// Says why a request that a program waits for does not end. A streaming request: which stream pointers of the driver
// hold its frames, and where they were locked or cloned; or that the driver has not reached its frames, and its Process
// routine. A property or a method: which, and the handler that let it pend.
std::optional<nt::RequestStory> explain_request(nt::Machine& machine, IRP& irp);

}  // namespace ks
