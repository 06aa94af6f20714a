#include "dxgk/sync/device_fences.h"

#include "dxgk/sync/sync_object.h"

namespace dxgk {

DeviceFences::~DeviceFences() {
  base::Guard guard(fences_.lock());
  uses_.clear();
}

void DeviceFences::add(Use& use, SyncObject& fence) {
  base::Guard guard(fences_.lock());
  use.fence = &fence;
  uses_.push_front(use);
}

void DeviceFences::remove(Fences& fences, Use& use) {
  base::Guard guard(fences.lock());
  use.unlink();
}

void DeviceFences::signal_maximum() {
  fences_.act([this](vidsch::WokenList& woken) {
    for (const Use& use : uses_) use.fence->state().device_lost(woken);
  });
}

}  // namespace dxgk
