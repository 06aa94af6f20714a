#include "dxgk/gpu_uses.h"

#include <algorithm>

#include "dxgk/adapter.h"
#include "dxgk/device.h"
#include "dxgk/gpu.h"

namespace dxgk {

void GpuUses::begin(const DmaBuffer& by, bool writes) {
  base::Guard guard(lock_);
  uses_.push_back({++begun_, &by, writes});
}

void GpuUses::end(const DmaBuffer& by) {
  base::Guard guard(lock_);
  std::erase_if(uses_, [&](const Use& use) { return use.by == &by; });
}

uint64_t GpuUses::begun() const {
  base::Guard guard(lock_);
  return begun_;
}

bool GpuUses::passed(uint64_t begun, Which which) const {
  base::Guard guard(lock_);
  return std::none_of(uses_.begin(), uses_.end(),
                      [&](const Use& use) { return use.number <= begun && (which == Which::All || use.writes); });
}

// Asked again after each packet that has retired, and when a device is lost.
base::Result<> wait_for_uses(Device& device, const Allocation& allocation, GpuUses::Which which) {
  uint64_t begun = allocation.gpu_uses.begun();
  device.adapter().gpu().wait(
      [&] { return device.state() != Device::State::Active || allocation.gpu_uses.passed(begun, which); });
  Inside inside(device.gate());
  return device.usable();
}

}  // namespace dxgk
