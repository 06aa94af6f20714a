#include "dxgk/resource.h"

#include "dxgk/adapter.h"
#include "dxgk/destruction.h"
#include "dxgk/shared_resources.h"

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

void SharedResources::add(Resource& resource) {
  resource.prev_shared = last_;
  (last_ ? last_->next_shared : first_) = &resource;
  last_ = &resource;
}

void SharedResources::remove(Resource& resource) {
  if (!resource.prev_shared && first_ != &resource) return;
  (resource.prev_shared ? resource.prev_shared->next_shared : first_) = resource.next_shared;
  (resource.next_shared ? resource.next_shared->prev_shared : last_) = resource.prev_shared;
  resource.next_shared = resource.prev_shared = nullptr;
}

void ResourceViews::add(ResourceView& view) {
  base::Guard guard(lock_);
  view.prev_view_ = nullptr;
  view.next_view_ = first_;
  if (first_) first_->prev_view_ = &view;
  first_ = &view;
}

void ResourceViews::remove(ResourceView& view) {
  base::Guard guard(lock_);
  (view.prev_view_ ? view.prev_view_->next_view_ : first_) = view.next_view_;
  if (view.next_view_) view.next_view_->prev_view_ = view.prev_view_;
  view.next_view_ = view.prev_view_ = nullptr;
}

bool ResourceViews::has(const Device& device, const Allocation& allocation) const {
  base::Guard guard(lock_);
  for (const ResourceView* view = first_; view; view = view->next_view_) {
    if (&view->device() != &device) continue;
    for (const AllocationView* each = view->views.first(); each; each = each->next) {
      if (&each->allocation() == &allocation) return true;
    }
  }
  return false;
}

ResourceView::ResourceView(Device& device, ob::Fresh<Resource> resource, ob::Ordinals& ordinals)
    : ob::Object(kKind, ordinals),
      device_(base::Ref<Device>::share(device)),
      resource_(resource.ref()),
      open_(std::move(resource)) {}

}  // namespace dxgk
