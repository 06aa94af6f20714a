#pragma once

#include <string>

#include "base/result.h"
#include "nt/machine/schedule.h"

namespace tools {

// A schedule from a file. The error is one sentence that names the file.
base::Expected<nt::Schedule, std::string> read_schedule(const std::string& path);

// Whether `schedule` was recorded with the driver at `path`; one sentence if not.
std::string mismatch(const nt::Schedule& schedule, const std::string& path);

}  // namespace tools
