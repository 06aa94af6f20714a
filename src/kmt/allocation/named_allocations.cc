#include "kmt/allocation/named_allocations.h"

namespace kmt {
namespace {

constexpr UINT kWslMostNames = 10240;

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

}  // namespace

base::Result<> read_names(Client& client, HandleScratch& names, const D3DKMT_HANDLE* user, UINT count) {
  if (count == 0) return refuse("a list of nothing");
  if (count > (client.like_wsl() ? kWslMostNames : client.policy().max_allocations_per_call)) {
    return refuse("more allocations in one call than the kernel takes");
  }
  TRY(names.make(count));
  return client.memory().read(names.span(), user);
}

base::Result<> NamedAllocations::add(D3DKMT_HANDLE allocation) {
  auto view = TRY(client_.find<dxgk::AllocationView>(allocation));
  if (&view->device() != &device_) {
    if (other_device_) client_.remark(*other_device_, "an allocation of another device is named");
    return refuse("the allocation belongs to another device");
  }
  allocations_.push_back(&view->allocation());
  ends_.push_back(allocations_.size());
  return {};
}

base::Result<> NamedAllocations::add_resource(D3DKMT_HANDLE resource) {
  auto view = TRY(client_.find<dxgk::ResourceView>(resource));
  if (&view->device() != &device_) return refuse("the resource belongs to another device");
  for (dxgk::AllocationView& child : view->views) allocations_.push_back(&child.allocation());
  ends_.push_back(allocations_.size());
  return {};
}

base::Result<> NamedAllocations::add(std::span<const D3DKMT_HANDLE> allocations) {
  for (D3DKMT_HANDLE allocation : allocations) TRY(add(allocation));
  return {};
}

base::Result<> NamedAllocations::add_resources(std::span<const D3DKMT_HANDLE> resources) {
  for (D3DKMT_HANDLE resource : resources) TRY(add_resource(resource));
  return {};
}

}  // namespace kmt
