#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "base/mutex.h"
#include "base/result.h"

namespace dxgk {

class Allocation;
class Device;

// The packets that name an allocation and have not completed on the GPU: they keep the CPU away from it (D3DKMTLock).
// Commands at GPU virtual addresses name no allocations, and are not counted. Owned by the allocation; any thread, up
// to DISPATCH_LEVEL.
class GpuUses {
 public:
  enum class Which : uint8_t { All, Writes };

  // Its number, for end(): 1 and so on.
  uint64_t begin(bool writes);
  void end(uint64_t number);

  // How many have begun so far.
  uint64_t begun() const;
  // Whether none of those that began first, as many as that, is left.
  bool passed(uint64_t begun, Which which) const;

 private:
  // From the oldest on that has not ended. Most allocations are never used by a packet that names them.
  struct Uses {
    uint64_t first = 1;           // the number of the front
    std::deque<bool> ended;       // by number
    std::deque<uint64_t> writes;  // numbers; from the oldest on that has not ended
  };

  mutable base::Mutex<base::LockRank::Adapter> lock_;
  std::unique_ptr<Uses> uses_ GUARDED_BY(lock_);
  uint64_t begun_ GUARDED_BY(lock_) = 0;
};

// Returns when the present uses of the allocation have completed on the GPU; what is queued meanwhile is not waited
// for. STATUS_DEVICE_REMOVED: the device through which the client waits has been lost, or its adapter stopped. At
// PASSIVE_LEVEL, with no mutex held.
base::Result<> wait_for_uses(Device& device, const Allocation& allocation, GpuUses::Which which);

}  // namespace dxgk
