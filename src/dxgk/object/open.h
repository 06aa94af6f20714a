#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "dxgk/object/device.h"

namespace dxgk {

// One more handle to the shared resource behind a global handle. Fails while the resource's creation is not committed.
base::Expected<ob::UnpublishedObject<Resource>, ob::LookupFault> find_shared(Kernel& kernel,
                                                                             D3DKMT_HANDLE global_share);

// Views of some allocations that a device is opening: they have handles, which do not resolve until commit(). Without
// commit() the driver is told to close them. Made, committed and dropped with the device's mutex held.
class [[nodiscard]] Opening {
 public:
  explicit Opening(Device& device) : device_(&device) {}
  Opening(Opening&& other) noexcept;
  Opening& operator=(Opening&&) = delete;
  ~Opening();

  // In this order: the resource's handle comes before those of its allocations.
  base::Result<D3DKMT_HANDLE> add_resource(ob::UnpublishedObject<Resource> resource);
  // `resource`: an existing view that they join; null: the one just added, or none.
  base::Result<> add_views(std::span<const base::Ref<Allocation>> allocations, ResourceView* resource);
  // DxgkDdiOpenAllocation. `private_data` has an element for each view, which the driver may change when it creates.
  base::Result<> open(std::span<const std::span<uint8_t>> private_data, std::span<const uint8_t> resource_data,
                      bool create, bool read_only);
  void commit();

  size_t size() const { return items_.size(); }
  D3DKMT_HANDLE handle(size_t i) const { return items_[i].reservation.handle(); }

  // All steps for a shared resource that exists: what D3DKMTOpenResource does.
  static base::Result<Opening> begin(Device& device, ob::UnpublishedObject<Resource> resource, bool read_only);

 private:
  struct Item {
    ob::KmtHandleTable::Reservation reservation;
    ob::UnpublishedObject<AllocationView> view;
  };

  Device* device_;
  std::optional<ob::KmtHandleTable::Reservation> resource_reservation_;
  std::optional<ob::UnpublishedObject<ResourceView>> resource_view_;
  ResourceView* joined_ = nullptr;
  std::vector<Item> items_;
  bool opened_ = false;
};

}  // namespace dxgk
