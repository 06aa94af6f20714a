#pragma once

#include <array>
#include <cstdint>

#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {

// What an engine has done since power-on, so that tests can see that it did what it said. Owned by the engine.
class Counters {
 public:
  struct LoggedFence {
    uint64_t value = 0;
    uint32_t packets = 0;
  };

  uint32_t packets = 0;
  uint32_t fences = 0;
  uint32_t faults = 0;
  uint32_t polls = 0;

  // A FENCE packet was executed and is counted in `packets`.
  void log_fence(uint64_t value) {
    log_[fences++ % SOFTGPU_FENCE_LOG_SLOTS] = {value, packets - packets_at_fence_};
    packets_at_fence_ = packets;
  }
  const LoggedFence& logged(uint32_t slot) const { return log_[slot]; }

 private:
  uint32_t packets_at_fence_ = 0;
  std::array<LoggedFence, SOFTGPU_FENCE_LOG_SLOTS> log_;
};

}  // namespace softgpu
