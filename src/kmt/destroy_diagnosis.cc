#include "kmt/destroy_diagnosis.h"

#include <set>

namespace kmt {

using nt::Broke;

std::optional<Broke> destroy_rule(dxgk::Device& device, D3DKMT_HANDLE resource) {
  auto found = device.process().handles().get<dxgk::ResourceView>(resource);
  if (!found.ok()) return Broke::DestroyDeadHandle;
  if (&found.value()->device() != &device) return Broke::DestroyOnWrongDevice;
  return std::nullopt;
}

std::optional<Broke> destroy_rule(dxgk::Device& device, std::span<const D3DKMT_HANDLE> allocations) {
  std::set<D3DKMT_HANDLE> seen;
  std::optional<dxgk::ResourceView*> resource;  // of the first
  dxgk::Inside inside(device.gate());
  for (D3DKMT_HANDLE handle : allocations) {
    auto found = device.process().handles().get<dxgk::AllocationView>(handle);
    if (!found.ok()) return Broke::DestroyDeadHandle;
    dxgk::AllocationView& view = *found.value();
    if (&view.device() != &device) return Broke::DestroyListOtherDevice;
    if (!seen.insert(handle).second) return Broke::DestroyListTwice;
    if (!resource) resource = view.resource;
    if (view.resource != *resource) {
      return view.resource && *resource ? Broke::DestroyListManyResources : Broke::DestroyListMixed;
    }
    if (view.resource && view.resource->resource().shared()) return Broke::DestroySharedChild;
  }
  return std::nullopt;
}

}  // namespace kmt
