#pragma once

#include <cstdint>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"

namespace dxgk {

class Allocation;
class Device;
class DmaBuffer;

// The packets that name an allocation and have not come back from the GPU: what keeps the CPU away from it
// (D3DKMTLock). Commands at GPU virtual addresses name nothing, and leave no trace here. Owned by the allocation; any
// thread, up to DISPATCH_LEVEL.
class GpuUses {
 public:
  enum class Which : uint8_t { All, Writes };

  void begin(const DmaBuffer& by, bool writes);
  // However often it has begun.
  void end(const DmaBuffer& by);

  // How many have begun so far.
  uint64_t begun() const;
  // Whether none of those that began first, as many as that, is left.
  bool passed(uint64_t begun, Which which) const;

 private:
  struct Use {
    uint64_t number;
    const DmaBuffer* by;  // only to know it by
    bool writes;
  };

  mutable base::Mutex<base::LockRank::Adapter> lock_;
  std::vector<Use> uses_ GUARDED_BY(lock_);  // in the order in which they began
  uint64_t begun_ GUARDED_BY(lock_) = 0;
};

// Returns when what uses the allocation now has come back from the GPU; what is queued meanwhile is not waited for.
// STATUS_DEVICE_REMOVED: the device through which the client waits has been lost, or its adapter stopped. At
// PASSIVE_LEVEL, outside of every gate.
base::Result<> wait_for_uses(Device& device, const Allocation& allocation, GpuUses::Which which);

}  // namespace dxgk
