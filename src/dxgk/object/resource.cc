#include "dxgk/object/resource.h"

#include <algorithm>

#include "dxgk/adapter/adapter.h"
#include "dxgk/destroy/destruction.h"
#include "dxgk/object/device.h"
#include "dxgk/object/shared_resources.h"

namespace dxgk {

Resource::Resource(Adapter& adapter, Sharing sharing, uint32_t creator, ob::Ordinals& ordinals)
    : ob::Object(kKind, ordinals), adapter_(adapter), sharing_(sharing), creator_(creator) {}

Resource::~Resource() = default;

void Resource::leave_shared() {
  if (shared()) adapter_.remove_shared(*this);
}

// The last opener was an NT handle: the adapter's worker finishes the resource. A destruction does so itself, by
// ResourceView::close_resource().
void Resource::on_last_handle_closed() {
  leave_shared();
  if (created) adapter_.destructions().add(std::make_unique<Destruction>(base::Ref<Resource>::share(*this)));
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

void ResourceViews::index(ResourceView& view) {
  ResourceView*& first = of_devices_[&view.device()];
  view.prev_of_device_ = nullptr;
  view.next_of_device_ = first;
  if (first) first->prev_of_device_ = &view;
  first = &view;
}

void ResourceViews::add(ResourceView& view) {
  base::Guard guard(lock_);
  view.prev_view_ = nullptr;
  view.next_view_ = first_;
  if (first_) first_->prev_view_ = &view;
  first_ = &view;
  ++count_;
  if (indexed_) {
    index(view);
  } else if (count_ > kFew) {
    indexed_ = true;
    for (ResourceView* each = first_; each; each = each->next_view_) index(*each);
  }
}

void ResourceViews::remove(ResourceView& view) {
  base::Guard guard(lock_);
  (view.prev_view_ ? view.prev_view_->next_view_ : first_) = view.next_view_;
  if (view.next_view_) view.next_view_->prev_view_ = view.prev_view_;
  view.next_view_ = view.prev_view_ = nullptr;
  --count_;
  if (!indexed_) return;
  if (view.next_of_device_) view.next_of_device_->prev_of_device_ = view.prev_of_device_;
  if (view.prev_of_device_) {
    view.prev_of_device_->next_of_device_ = view.next_of_device_;
  } else if (view.next_of_device_) {
    of_devices_[&view.device()] = view.next_of_device_;
  } else {
    of_devices_.erase(&view.device());
  }
  view.next_of_device_ = view.prev_of_device_ = nullptr;
  if (count_ == 0) indexed_ = false;
}

bool ResourceViews::shows(const ResourceView& view, const Allocation& allocation) {
  return std::any_of(view.views.begin(), view.views.end(),
                     [&](const AllocationView& each) { return &each.allocation() == &allocation; });
}

bool ResourceViews::has_locked(const Device& device, const Allocation& allocation) const {
  if (indexed_) {
    auto first = of_devices_.find(&device);
    const ResourceView* view = first == of_devices_.end() ? nullptr : first->second;
    for (; view; view = view->next_of_device_) {
      if (shows(*view, allocation)) return true;
    }
    return false;
  }
  for (const ResourceView* view = first_; view; view = view->next_view_) {
    if (&view->device() == &device && shows(*view, allocation)) return true;
  }
  return false;
}

bool ResourceViews::has(const Device& device, const Allocation& allocation) const {
  base::Guard guard(lock_);
  return has_locked(device, allocation);
}

// Views of other processes are skipped: they are under other mutexes.
bool ResourceViews::has_elsewhere(const Device& device, const Allocation& allocation) const {
  base::Guard guard(lock_);
  for (const Device* other : device.process_adapter().devices) {
    if (other != &device && has_locked(*other, allocation)) return true;
  }
  return false;
}

ResourceView::ResourceView(Device& device, ob::UnpublishedObject<Resource> resource, ob::Ordinals& ordinals)
    : ob::Object(kKind, ordinals),
      device_(base::Ref<Device>::share(device)),
      resource_(resource.ref()),
      open_(std::move(resource)) {}

bool ResourceView::close_resource() {
  bool last = open_ && open_->close();
  if (last) resource_->leave_shared();
  open_.reset();
  return last;
}

}  // namespace dxgk
