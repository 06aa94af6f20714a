#include "dxgk/resource.h"

#include "dxgk/adapter.h"
#include "dxgk/destruction.h"

namespace dxgk {

Resource::Resource(Adapter& adapter, Sharing sharing, uint32_t creator, ob::Ordinals& ordinals)
    : ob::Object(kKind, ordinals), adapter_(adapter), sharing_(sharing), creator_(creator) {}

Resource::~Resource() = default;

// Whoever closed it last finishes it: the destruction that is at work on this thread, or the adapter's worker when the
// last opener was an NT handle.
void Resource::on_last_handle_closed() {
  if (shared()) adapter_.remove_shared(*this);
  if (Destruction* destruction = Destruction::current()) {
    destruction->resource_ended(*this);
  } else if (created) {
    adapter_.destructions().add(std::make_unique<Destruction>(base::Ref<Resource>::share(*this)));
  }
}

ResourceView::ResourceView(Device& device, ob::Fresh<Resource> resource, ob::Ordinals& ordinals)
    : ob::Object(kKind, ordinals),
      device_(base::Ref<Device>::share(device)),
      resource_(resource.ref()),
      open_(std::move(resource)) {}

}  // namespace dxgk
