#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "dxgk/device.h"

namespace dxgk {

// One more handle to the shared resource behind a global handle. One that is not told to its creator yet is not there.
base::Expected<ob::Fresh<Resource>, ob::LookupFault> find_shared(Kernel& kernel, D3DKMT_HANDLE global_share);

// One device's views of some allocations, on the way: they have handles, which mean nothing to the client until
// commit(). Without it the driver is told to close them. Made, committed and dropped inside of the device's gate.
class [[nodiscard]] Opening {
 public:
  explicit Opening(Device& device) : device_(&device) {}
  Opening(Opening&& other) noexcept;
  Opening& operator=(Opening&&) = delete;
  ~Opening();

  // In this order: the resource's handle comes before those of its allocations.
  base::Result<D3DKMT_HANDLE> add_resource(ob::Fresh<Resource> resource);
  // `resource`: an existing view that they join; null: the one just added, or none.
  base::Result<> add_views(std::span<const base::Ref<Allocation>> allocations, ResourceView* resource);
  // DxgkDdiOpenAllocation. `private_data` has an element for each view, which the driver may change when it creates.
  base::Result<> open(std::span<const std::span<uint8_t>> private_data, std::span<const uint8_t> resource_data,
                      bool create, bool read_only);
  void commit();

  size_t size() const { return items_.size(); }
  D3DKMT_HANDLE handle(size_t i) const { return items_[i].reservation.handle(); }

  // The whole of it for a shared resource that exists: what D3DKMTOpenResource does.
  static base::Result<Opening> begin(Device& device, ob::Fresh<Resource> resource, bool read_only);

 private:
  struct Item {
    ob::KmtHandleTable::Reservation reservation;
    ob::Fresh<AllocationView> view;
  };

  Device* device_;
  std::optional<ob::KmtHandleTable::Reservation> resource_reservation_;
  std::optional<ob::Fresh<ResourceView>> resource_view_;
  ResourceView* joined_ = nullptr;
  std::vector<Item> items_;
  bool opened_ = false;
};

}  // namespace dxgk
