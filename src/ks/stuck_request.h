#pragma once

#include <optional>

#include "nt/request_waits.h"

namespace ks {

// Of a request that a program waits for in vain, who has it. A streaming request: which stream pointers of the driver
// hold its frames, and where they were locked or cloned; or that the driver has not come to them, and its Process
// routine. A property or a method: which, and the handler that let it pend.
std::optional<nt::RequestStory> explain_request(nt::Machine& machine, IRP& irp);

}  // namespace ks
