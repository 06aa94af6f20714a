#include "dxgk/destroy.h"

#include "dxgk/adapter.h"
#include "dxgk/views.h"

namespace dxgk {
namespace {

// Refusals are all STATUS_INVALID_PARAMETER, a dead handle included (KD-10, observed).
base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

// Goes as far as it gets at once. What is left is the worker's; the caller waits if it was asked to.
std::shared_ptr<Completion> start(Adapter& adapter, std::unique_ptr<Destruction> destruction, bool synchronous) {
  if (destruction->advance()) return nullptr;
  std::shared_ptr<Completion> completion;
  if (synchronous) completion = destruction->completion = std::make_shared<Completion>();
  adapter.destructions().add(std::move(destruction));
  return completion;
}

// One list, judged whole before any of it is touched.
base::Result<> judge(Device& device, std::span<const D3DKMT_HANDLE> handles,
                     std::vector<base::Ref<AllocationView>>& views) {
  ob::KmtHandleTable& table = device.process().handles();
  uint32_t stamp = device.process_adapter().next_stamp();
  views.reserve(handles.size());
  for (D3DKMT_HANDLE handle : handles) {
    auto found = table.get<AllocationView>(handle);
    if (!found.ok()) return refuse(describe(found.error()));
    base::Ref<AllocationView> view = found.take();
    if (&view->device() != &device) return refuse("an allocation in the list belongs to another device");
    if (view->stamp == stamp) return refuse("an allocation is twice in the list");
    if (!views.empty() && view->resource != views.front()->resource) {
      return refuse("the allocations in the list do not all belong to the same resource");
    }
    if (view->resource && view->resource->resource().shared()) {
      return refuse("an allocation of a shared resource goes only with its resource");
    }
    view->stamp = stamp;
    views.push_back(std::move(view));
  }
  return {};
}

}  // namespace

base::Result<> destroy_resource(Device& device, D3DKMT_HANDLE handle, DestroyCall call) {
  std::shared_ptr<Completion> completion;
  {
    Inside inside(device.gate());
    auto found = device.process().handles().get<ResourceView>(handle);
    if (!found.ok()) return refuse(describe(found.error()));
    base::Ref<ResourceView> resource = found.take();
    if (&resource->device() != &device) return refuse("the resource belongs to another device");
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
  return {};
}

base::Result<> destroy_allocations(Device& device, std::span<const D3DKMT_HANDLE> handles, DestroyCall call) {
  if (handles.empty()) return {};
  std::shared_ptr<Completion> completion;
  {
    Inside inside(device.gate());
    std::vector<base::Ref<AllocationView>> views;
    TRY(judge(device, handles, views));
    std::unique_ptr<Destruction> destruction;
    if (!device.gone()) {
      destruction =
          std::make_unique<Destruction>(device, views, DestroyFlags{.assume_not_in_use = call.assume_not_in_use});
    }
    for (const auto& view : views) forget(*view);
    if (destruction) completion = start(device.adapter(), std::move(destruction), call.synchronous);
  }
  if (completion) completion->wait(device.machine());
  return {};
}

}  // namespace dxgk
