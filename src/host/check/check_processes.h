#pragma once

#include <chrono>
#include <functional>

#include "host/check/check.h"
#include "host/check/zygote.h"

namespace host {

// The real time that limits are measured in. Tests have their own.
struct CheckClock {
  using Time = std::chrono::steady_clock::time_point;

  std::function<Time()> now = [] { return std::chrono::steady_clock::now(); };
  int poll_ms = 500;  // how often it is looked at while no worker says anything
};

// check(), with everything that it takes from outside.
CheckResult check_in_processes(const CheckOptions& options, const Watch& watch, ZygoteBody& body,
                               const CheckClock& clock);

}  // namespace host
