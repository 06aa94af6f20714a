#include "dxgk/work/gpu_uses.h"

#include "base/check.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/object/device.h"
#include "dxgk/work/gpu.h"

namespace dxgk {

uint64_t GpuUses::begin(bool writes) {
  base::Guard guard(lock_);
  if (!uses_) uses_ = std::make_unique<Uses>();
  ++begun_;
  uses_->ended.push_back(false);
  if (writes) uses_->writes.push_back(begun_);
  return begun_;
}

void GpuUses::end(uint64_t number) {
  base::Guard guard(lock_);
  Uses& uses = *uses_;
  CHECK(number >= uses.first && !uses.ended[number - uses.first]);
  uses.ended[number - uses.first] = true;
  auto has_ended = [&](uint64_t use) { return use < uses.first || uses.ended[use - uses.first]; };
  while (!uses.writes.empty() && has_ended(uses.writes.front())) uses.writes.pop_front();
  for (; !uses.ended.empty() && uses.ended.front(); ++uses.first) uses.ended.pop_front();
}

uint64_t GpuUses::begun() const {
  base::Guard guard(lock_);
  return begun_;
}

bool GpuUses::passed(uint64_t begun, Which which) const {
  base::Guard guard(lock_);
  if (!uses_) return true;
  if (which == Which::Writes) return uses_->writes.empty() || uses_->writes.front() > begun;
  return uses_->first > begun;
}

// Asked again after each packet that has retired, and when a device is lost.
base::Result<> wait_for_uses(Device& device, const Allocation& allocation, GpuUses::Which which) {
  uint64_t begun = allocation.gpu_uses.begun();
  device.adapter().gpu().wait(
      [&] { return device.state() != Device::State::Active || allocation.gpu_uses.passed(begun, which); });
  ParkingLock lock(device.mutex());
  return device.usable();
}

}  // namespace dxgk
