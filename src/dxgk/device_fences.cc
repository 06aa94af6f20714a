#include "dxgk/device_fences.h"

#include "dxgk/sync_object.h"

namespace dxgk {

DeviceFences::~DeviceFences() {
  base::Guard guard(fences_.lock());
  while (first_) unlink(*first_);
}

void DeviceFences::add(Use& use, SyncObject& fence) {
  base::Guard guard(fences_.lock());
  use = {.device = this, .fence = &fence, .previous = nullptr, .next = first_};
  if (first_) first_->previous = &use;
  first_ = &use;
}

void DeviceFences::remove(Fences& fences, Use& use) {
  base::Guard guard(fences.lock());
  if (use.device) unlink(use);
}

void DeviceFences::unlink(Use& use) {
  (use.previous ? use.previous->next : use.device->first_) = use.next;
  if (use.next) use.next->previous = use.previous;
  use = {};
}

void DeviceFences::signal_maximum() {
  fences_.act([this](vidsch::WokenList& woken) {
    for (const Use* use = first_; use; use = use->next) use->fence->state().device_lost(woken);
  });
}

}  // namespace dxgk
