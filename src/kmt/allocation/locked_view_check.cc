#include "kmt/allocation/locked_view_check.h"

#include "dxgk/memory/video_memory.h"

namespace kmt {

LockedViewCheck::LockedViewCheck(Client& client, dxgk::Device& device, D3DKMT_HANDLE resource)
    : client_(client), adapter_(device.adapter()) {
  if (!client.locked_views()) return;
  dxgk::ParkingLock lock(device.mutex());
  auto found = device.process().handles().get<dxgk::ResourceView>(resource);
  if (!found.ok()) return;
  for (dxgk::AllocationView& view : found.value()->views) look_at(view);
}

LockedViewCheck::LockedViewCheck(Client& client, dxgk::Device& device, std::span<const D3DKMT_HANDLE> allocations)
    : client_(client), adapter_(device.adapter()) {
  if (!client.locked_views()) return;
  dxgk::ParkingLock lock(device.mutex());
  for (D3DKMT_HANDLE handle : allocations) {
    auto found = device.process().handles().get<dxgk::AllocationView>(handle);
    if (found.ok()) look_at(*found.value());
  }
}

LockedViewCheck::LockedViewCheck(Client& client, dxgk::Device& device) : client_(client), adapter_(device.adapter()) {
  if (!client.locked_views()) return;
  dxgk::ParkingLock lock(device.mutex());
  device.process().handles().for_each([&](D3DKMT_HANDLE, ob::Object& object) {
    if (object.kind() != dxgk::AllocationView::kKind) return;
    auto& view = static_cast<dxgk::AllocationView&>(object);
    if (&view.device() == &device) look_at(view);
  });
}

void LockedViewCheck::look_at(const dxgk::AllocationView& view) {
  if (view.locks) locked_.push_back({base::Ref<dxgk::Allocation>::share(view.allocation()), view.locks});
}

// An allocation that others have open no longer has to stay where the CPU sees it.
void LockedViewCheck::destroyed(nt::Violation rule) {
  if (!any()) return;
  client_.views_unlocked(static_cast<uint32_t>(locked_.size()));
  for (const Locked& each : locked_) {
    for (uint32_t i = 0; i < each.locks; ++i) adapter_.memory().unlock_bytes(*each.allocation);
  }
  client_.remark(rule, "something is destroyed while it is locked");
}

}  // namespace kmt
