#pragma once

#include <atomic>
#include <cstdint>

#include "dxgk/sync/condition.h"

namespace dxgk {

// Objects that their client is destroying right now and that are on no list any more. The destruction of their parent
// waits for them: the driver sees DxgkDdiDestroyContext before DxgkDdiDestroyDevice, and that before DxgkDdiStopDevice.
// Any thread of the machine.
class PendingDestroys {
 public:
  void begin() { going_.fetch_add(1, std::memory_order_acq_rel); }
  void end(nt::Machine& machine) {
    going_.fetch_sub(1, std::memory_order_acq_rel);
    changes_.notify(machine);
  }
  // At PASSIVE_LEVEL, with no mutex held.
  void wait(nt::Machine& machine) {
    changes_.wait(machine, [this] { return going_.load(std::memory_order_acquire) == 0; });
  }

 private:
  std::atomic<uint32_t> going_{0};
  Condition changes_;
};

}  // namespace dxgk
