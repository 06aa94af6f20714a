#include "dxgk/destroy/destroy.h"

#include "dxgk/adapter/adapter.h"
#include "dxgk/object/views.h"

namespace dxgk {
namespace {

using nt::Violation;

// Advances the destruction as far as possible now. The worker does the rest; the caller waits if it was asked to.
std::shared_ptr<Completion> start(Adapter& adapter, std::unique_ptr<Destruction> destruction, bool synchronous) {
  if (destruction->advance()) return nullptr;
  std::shared_ptr<Completion> completion;
  if (synchronous) completion = destruction->completion = std::make_shared<Completion>();
  adapter.destructions().add(std::move(destruction));
  return completion;
}

// One list, judged whole before any of it is touched. Refusals are all STATUS_INVALID_PARAMETER, a dead handle included
// (KD-10, observed).
Judgement judge(Device& device, std::span<const D3DKMT_HANDLE> handles, std::vector<base::Ref<AllocationView>>& views) {
  ob::KmtHandleTable& table = device.process().handles();
  uint32_t stamp = device.process_adapter().next_stamp();
  views.reserve(handles.size());
  for (D3DKMT_HANDLE handle : handles) {
    auto found = table.get<AllocationView>(handle);
    if (!found.ok()) return Refusal(Violation::DestroyDeadHandle, describe(found.error()));
    base::Ref<AllocationView> view = found.take();
    if (&view->device() != &device) {
      return Refusal(Violation::DestroyListOtherDevice, "an allocation in the list belongs to another device");
    }
    if (view->stamp == stamp) return Refusal(Violation::DestroyListTwice, "an allocation is twice in the list");
    if (!views.empty() && view->resource != views.front()->resource) {
      bool both = view->resource && views.front()->resource;
      return Refusal(both ? Violation::DestroyListManyResources : Violation::DestroyListMixed,
                     "the allocations in the list do not all belong to the same resource");
    }
    if (view->resource && view->resource->resource().shared()) {
      return Refusal(Violation::DestroySharedChild, "an allocation of a shared resource goes only with its resource");
    }
    view->stamp = stamp;
    views.push_back(std::move(view));
  }
  return std::nullopt;
}

}  // namespace

Judgement destroy_resource(Device& device, D3DKMT_HANDLE handle, DestroyCall call) {
  std::shared_ptr<Completion> completion;
  {
    ParkingLock lock(device.mutex());
    auto found = device.process().handles().get<ResourceView>(handle);
    if (!found.ok()) return Refusal(Violation::DestroyDeadHandle, describe(found.error()));
    base::Ref<ResourceView> resource = found.take();
    if (&resource->device() != &device) {
      return Refusal(Violation::DestroyOnWrongDevice, "the resource belongs to another device");
    }
    // Made first: it looks at the views, which then lose their places.
    std::unique_ptr<Destruction> destruction;
    if (!device.gone()) {
      destruction =
          std::make_unique<Destruction>(device, resource, DestroyFlags{.assume_not_in_use = call.assume_not_in_use});
    }
    forget(*resource);
    if (destruction) completion = start(device.adapter(), std::move(destruction), call.synchronous);
  }
  if (completion) completion->wait(device.machine());
  return std::nullopt;
}

Judgement destroy_allocations(Device& device, std::span<const D3DKMT_HANDLE> handles, DestroyCall call) {
  if (handles.empty()) return std::nullopt;
  std::shared_ptr<Completion> completion;
  {
    ParkingLock lock(device.mutex());
    std::vector<base::Ref<AllocationView>> views;
    if (Judgement refused = judge(device, handles, views)) return refused;
    std::unique_ptr<Destruction> destruction;
    if (!device.gone()) {
      destruction =
          std::make_unique<Destruction>(device, views, DestroyFlags{.assume_not_in_use = call.assume_not_in_use});
    }
    for (const auto& view : views) forget(*view);
    if (destruction) completion = start(device.adapter(), std::move(destruction), call.synchronous);
  }
  if (completion) completion->wait(device.machine());
  return std::nullopt;
}

}  // namespace dxgk
