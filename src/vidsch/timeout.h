#pragma once

#include <cstdint>
#include <deque>

#include "base/executor.h"

namespace vidsch {

// The registry's TdrLevel; 2 was never implemented.
enum class TdrLevel : uint8_t { Off = 0, BugCheck = 1, Recover = 3 };

// Timeout detection and recovery, with the documented defaults ("Testing and debugging TDR during driver development").
struct TimeoutConfig {
  TdrLevel level = TdrLevel::Recover;
  base::TimeNs delay_ns = 2'000'000'000;           // TdrDelay: a packet, and then a preemption, may take this long
  base::TimeNs driver_delay_ns = 5'000'000'000;    // TdrDdiDelay: threads leave the driver
  base::TimeNs dependents_delay_ns = 500'000'000;  // DxgkDdiQueryDependentEngineGroup: dependent engines preempt
  uint32_t limit_count = 5;                        // TdrLimitCount: resets of the adapter within limit_ns
  base::TimeNs limit_ns = 60'000'000'000;          // TdrLimitTime; one reset more in this time is fatal
};

// The times of the adapter's last resets. Part of a Scheduler.
class ResetHistory {
 public:
  explicit ResetHistory(const TimeoutConfig& config) : limit_count_(config.limit_count), limit_ns_(config.limit_ns) {}

  // Counts a reset that is about to begin; false when it would be one too many.
  bool admit(base::TimeNs now);

 private:
  uint32_t limit_count_;
  base::TimeNs limit_ns_;
  std::deque<base::TimeNs> times_;  // at most limit_count_
};

}  // namespace vidsch
