#include "dxgk/paging/paging_queue.h"

#include <algorithm>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/unpublished_handle.h"

namespace dxgk {

PagingQueue::PagingQueue(Device& device, base::Ref<SyncObject> fence, ob::Ordinals& ordinals)
    : ob::Object(kKind, ordinals), device_(base::Ref<Device>::share(device)), fence_(std::move(fence)) {}

PagingQueue::~PagingQueue() = default;

base::Result<ob::UnpublishedObject<PagingQueue>> PagingQueue::create(Device& device, base::Ref<SyncObject> fence) {
  auto queue =
      ob::UnpublishedObject<PagingQueue>::adopt(new PagingQueue(device, std::move(fence), device.process().ordinals()));
  ParkingLock lock(device.mutex());
  TRY(device.usable());
  device.paging_queues.push_back(&*queue);
  return queue;
}

void PagingQueue::reached(uint64_t value) {
  static_cast<void>(fence_->signal(value, vidsch::Rewind::Refused));
  reached_.store(value, std::memory_order_release);
}

void PagingQueue::on_last_handle_closed() {
  base::Ref<PagingQueue> self = base::Ref<PagingQueue>::share(*this);
  detach();
  // The client's handle to the fence goes with the queue (documented at D3DKMT_CREATEPAGINGQUEUE).
  static_cast<void>(dxgk::close_handle<SyncObjectView>(device_->process(), fence_handle));
}

void PagingQueue::detach() {
  {
    ParkingLock lock(device_->mutex());
    if (std::exchange(gone_, true)) return;
    device_->paging_queues.erase(this);
  }
  if (reached_.load(std::memory_order_acquire) < last_value_.load(std::memory_order_acquire)) {
    device_->adapter().memory().wait_idle();
  }
}

}  // namespace dxgk
