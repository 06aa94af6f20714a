#pragma once

#include "host/check/check.h"

namespace host {

// Runs one seed of one scenario in this process, without a child process: a debugger sees everything, and a driver that
// damages its process damages this one.
CheckResult check_in_process(const CheckOptions& options);

}  // namespace host
