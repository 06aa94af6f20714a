#include "dxgk/object/open.h"

#include <boost/container/small_vector.hpp>

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/ddi/allocation_ddi.h"

namespace dxgk {

base::Expected<ob::UnpublishedObject<Resource>, ob::LookupFault> find_shared(Kernel& kernel,
                                                                             D3DKMT_HANDLE global_share) {
  auto found = kernel.global_handles().open<Resource>(global_share);
  if (found.ok() && !found.value()->created.load(std::memory_order_acquire)) return ob::LookupFault::Reserved;
  return found;
}

Opening::Opening(Opening&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)),
      resource_reservation_(std::move(other.resource_reservation_)),
      resource_view_(std::move(other.resource_view_)),
      joined_(other.joined_),
      items_(std::move(other.items_)),
      opened_(other.opened_) {}

Opening::~Opening() {
  if (!device_ || !opened_) return;
  boost::container::small_vector<AllocationView*, 8> views;
  for (Item& item : items_) views.push_back(&*item.view);
  close_at_driver(*device_, {views.data(), views.size()});
}

base::Result<D3DKMT_HANDLE> Opening::add_resource(ob::UnpublishedObject<Resource> resource) {
  Process& process = device_->process();
  resource_reservation_ = TRY(process.handles().reserve());
  resource_view_ =
      ob::UnpublishedObject<ResourceView>::adopt(new ResourceView(*device_, std::move(resource), process.ordinals()));
  (*resource_view_)->handle = resource_reservation_->handle();
  return resource_reservation_->handle();
}

base::Result<> Opening::add_views(std::span<const base::Ref<Allocation>> allocations, ResourceView* resource) {
  Process& process = device_->process();
  joined_ = resource_view_ ? &**resource_view_ : resource;
  items_.reserve(allocations.size());
  for (const base::Ref<Allocation>& allocation : allocations) {
    items_.push_back({TRY(process.handles().reserve()), ob::UnpublishedObject<AllocationView>::adopt(new AllocationView(
                                                            *device_, allocation, process.ordinals()))});
    AllocationView& view = *items_.back().view;
    view.handle = items_.back().reservation.handle();
    view.resource = joined_;
  }
  return {};
}

base::Result<> Opening::open(std::span<const std::span<uint8_t>> private_data, std::span<const uint8_t> resource_data,
                             bool create, bool read_only) {
  CHECK(private_data.size() == items_.size());
  boost::container::small_vector<OpenedAllocation, 4> opened;
  for (size_t i = 0; i < items_.size(); ++i) opened.push_back({&*items_[i].view, private_data[i]});
  TRY(open_at_driver(*device_, {opened.data(), opened.size()}, resource_data, create, read_only));
  opened_ = true;
  if (resource_view_) (*resource_view_)->read_only = read_only;
  return {};
}

void Opening::commit() {
  Device& device = *std::exchange(device_, nullptr);
  Process& process = device.process();
  base::StackId stack = process.kernel().policy().client_stacks ? device.machine().here_id() : 0;
  if (resource_view_) {
    (*resource_view_)->created_at = stack;
    device.add(**resource_view_);
    process.ledger().created(ob::ObjectKind::Resource);
    resource_reservation_->publish(std::move(*resource_view_));
  }
  for (Item& item : items_) {
    AllocationView& view = *item.view;
    view.created_at = stack;
    (joined_ ? joined_->views : device.allocations).push_back(view);
    process.ledger().created(ob::ObjectKind::Allocation);
    process.ledger().memory(static_cast<int64_t>(view.allocation().size()));
    item.reservation.publish(std::move(item.view));
  }
}

base::Result<Opening> Opening::begin(Device& device, ob::UnpublishedObject<Resource> resource, bool read_only) {
  Opening opening(device);
  base::Ref<Resource> shared = resource.ref();
  std::vector<Bytes> copies;  // of the creator's data: an opener's driver may read, not write
  std::vector<std::span<uint8_t>> private_data;
  copies.reserve(shared->allocations.size());
  for (const auto& allocation : shared->allocations) {
    copies.push_back(allocation->private_data ? *allocation->private_data : Bytes{});
    private_data.push_back(copies.back());
  }
  TRY(opening.add_resource(std::move(resource)));
  TRY(opening.add_views(shared->allocations, nullptr));
  TRY(opening.open(private_data, shared->driver_data, false, read_only));
  return opening;
}

}  // namespace dxgk
