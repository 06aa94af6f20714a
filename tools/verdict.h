#pragma once

#include <string>

#include "host/check.h"

namespace tools {

struct VerdictOptions {
  std::string json_file;  // also write the report here
  std::string save_dir;   // keep the schedule of every finding here
};

// Tells a person (and the files that were asked for) what a check came to. Returns the exit code.
int tell_verdict(const host::CheckOptions& options, host::CheckResult& result, const VerdictOptions& where);

}  // namespace tools
