#pragma once

#include <optional>
#include <string>

#include "nt/machine/schedule.h"

namespace tools {

// A schedule from a file. On failure `error` receives one sentence that names the file.
std::optional<nt::Schedule> read_schedule(const std::string& path, std::string* error);

// Whether `schedule` was recorded with the driver at `path`; one sentence if not.
std::string mismatch(const nt::Schedule& schedule, const std::string& path);

}  // namespace tools
