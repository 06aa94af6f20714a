#pragma once

#include <atomic>

#include "dxgk/object/device.h"
#include "dxgk/sync/sync_object.h"

namespace dxgk {

// A paging queue of a device: the end of each request to the memory manager is reported as a rising value of the
// queue's fence. The value is taken under the memory's lock, with the work; the paging thread signals the fence.
class PagingQueue final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::PagingQueue;

  // `fence`: the client has a handle of its own for it.
  static base::Result<ob::UnpublishedObject<PagingQueue>> create(Device& device, base::Ref<SyncObject> fence);
  ~PagingQueue() override;

  Device& device() const { return *device_; }
  SyncObject& fence() const { return *fence_; }
  uint64_t next_value() { return last_value_.fetch_add(1, std::memory_order_relaxed) + 1; }
  void reached(uint64_t value);
  // Waits for everything that was asked (RS-19). Without the mutex.
  void detach();

  D3DKMT_HANDLE handle = 0;
  D3DKMT_HANDLE fence_handle = 0;

 private:
  PagingQueue(Device& device, base::Ref<SyncObject> fence, ob::Ordinals& ordinals);
  void on_last_handle_closed() override;

  base::Ref<Device> device_;
  base::Ref<SyncObject> fence_;
  std::atomic<uint64_t> last_value_{0};
  std::atomic<uint64_t> reached_{0};
  bool gone_ = false;  // the device's mutex
};

}  // namespace dxgk
