#include "dxgk/object/allocation.h"

#include <fmt/format.h>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_block.h"
#include "dxgk/object/device.h"

namespace dxgk {

CreationScope::CreationScope(Adapter& adapter, uint32_t ordinal)
    : adapter_(adapter), scope_(nt::ScopeKind::Allocation, fmt::format("create {}", ordinal), &adapter.scope()) {}

CreationScope::~CreationScope() {
  adapter_.late_releases().creation_over(scope_);
  adapter_.machine().hand_over(scope_, adapter_.scope());
}

bool Allocation::hold() {
  uint32_t count = acquired_.load(std::memory_order_relaxed);
  do {
    if (count & kDying) return false;
  } while (!acquired_.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel));
  return true;
}

bool Allocation::let_go() { return acquired_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

bool Allocation::begin_destroy() {
  uint32_t free = 0;
  return acquired_.compare_exchange_strong(free, kDying, std::memory_order_acq_rel);
}

Allocation::Allocation(base::Ref<CreationScope> scope, HANDLE driver_handle, const AllocationTraits& traits,
                       uint32_t ordinal)
    : traits_(traits), driver_handle_(driver_handle), scope_(std::move(scope)), ordinal_(ordinal) {}
Allocation::~Allocation() = default;

AllocationView::AllocationView(Device& device, base::Ref<Allocation> allocation, ob::Ordinals& ordinals)
    : ob::Object(kKind, ordinals), device_(base::Ref<Device>::share(device)), allocation_(std::move(allocation)) {}

}  // namespace dxgk
