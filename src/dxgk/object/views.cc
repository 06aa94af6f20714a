#include "dxgk/object/views.h"

namespace dxgk {

void forget(AllocationView& view) {
  Device& device = view.device();
  Process& process = device.process();
  ViewList& listed = view.resource ? view.resource->views : device.allocations;
  listed.erase(listed.iterator_to(view));
  process.ledger().gone(ob::ObjectKind::Allocation);
  process.ledger().memory(-static_cast<int64_t>(view.allocation().size()));
  static_cast<void>(process.handles().close_ignore_destroyed<AllocationView>(view.handle));
}

void forget(ResourceView& resource) {
  Device& device = resource.device();
  while (!resource.views.empty()) {
    base::Ref<AllocationView> view = base::Ref<AllocationView>::share(resource.views.front());
    forget(*view);
  }
  device.remove(resource);
  device.process().ledger().gone(ob::ObjectKind::Resource);
  static_cast<void>(device.process().handles().close_ignore_destroyed<ResourceView>(resource.handle));
}

}  // namespace dxgk
