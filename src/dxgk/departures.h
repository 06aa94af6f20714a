#pragma once

#include <atomic>
#include <cstdint>

#include "dxgk/changes.h"

namespace dxgk {

// Objects that their client is destroying right now and that are on no list any more. Whoever ends what they hang on
// waits for them: the driver sees DxgkDdiDestroyContext before DxgkDdiDestroyDevice, and that before DxgkDdiStopDevice.
// Any thread of the machine.
class Departures {
 public:
  void begin() { going_.fetch_add(1, std::memory_order_acq_rel); }
  void end(nt::Machine& machine) {
    going_.fetch_sub(1, std::memory_order_acq_rel);
    changes_.notify(machine);
  }
  // At PASSIVE_LEVEL, outside of every gate.
  void wait(nt::Machine& machine) {
    changes_.wait(machine, [this] { return going_.load(std::memory_order_acquire) == 0; });
  }

 private:
  std::atomic<uint32_t> going_{0};
  Changes changes_;
};

}  // namespace dxgk
