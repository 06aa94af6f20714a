#pragma once

#include <atomic>
#include <deque>
#include <string>
#include <vector>

#include "base/roster.h"
#include "dxgk/destroy/pending_destroys.h"
#include "dxgk/object/process.h"
#include "dxgk/object/resource.h"
#include "dxgk/sync/device_fences.h"
#include "dxgk/work/timeline.h"

namespace dxgk {

class Context;
class DeviceQueue;
class PagingQueue;

// A client's device: what it has created and opened on one adapter, and the driver's value for it. Everything in it is
// guarded by its process's mutex.
class Device final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::Device;

  // The state that a lost device reports: D3DKMT_DEVICEEXECUTION_*.
  enum class State : uint8_t { Active, Reset, Hung, Stopped, Error, PageFaulted };

  // Tells the driver (DxgkDdiCreateDevice).
  static base::Result<ob::UnpublishedObject<Device>> create(base::Ref<ProcessAdapter> process_adapter,
                                                            D3DKMT_CREATEDEVICEFLAGS flags = {});
  ~Device() override;

  ProcessAdapter& process_adapter() { return *process_adapter_; }
  const ProcessAdapter& process_adapter() const { return *process_adapter_; }
  Process& process() { return process_adapter_->process(); }
  Adapter& adapter() { return process_adapter_->adapter(); }
  nt::Machine& machine();
  ParkingMutex& mutex() { return process_adapter_->mutex(); }
  HANDLE driver_device() const { return driver_device_; }
  nt::Scope& scope() { return scope_; }
  // DisableGpuTimeout: the device's packets have no time limit.
  bool may_run_long() const { return flags_.DisableGpuTimeout; }

  State state() const { return state_.load(std::memory_order_acquire); }
  // The first loss counts: later ones change nothing. True if this was the first. Any thread; the thread that marks a
  // device tells the scheduler (Gpu::lose).
  bool mark(State state) {
    State active = State::Active;
    return state_.compare_exchange_strong(active, state, std::memory_order_acq_rel);
  }
  // With the mutex held. STATUS_DEVICE_REMOVED on a lost device or a stopped adapter, STATUS_INVALID_PARAMETER on a
  // device that another thread has just destroyed.
  base::Result<> usable() const;

  // Work queued for the device: by the device itself, and by each context. A destruction of the device's allocations
  // waits for all of it.
  Timeline& work() { return work_; }
  Moment queued_work() const;
  // A timeline for one context. It stays the device's: a destruction may read it when the context has gone. With the
  // mutex held.
  Timeline& lend_timeline();
  void return_timeline(Timeline& timeline) { spare_timelines_.push_back(&timeline); }

  // The monitored fences that the device has created or opened.
  DeviceFences& fences() { return fences_; }

  // With the mutex held.
  base::Roster<Context> contexts;
  PendingDestroys leaving_contexts;
  base::Roster<PagingQueue> paging_queues;
  // What the scheduler and the memory manager keep of it.
  DeviceQueue& queue() { return *queue_; }
  bool has_queue() const { return queue_ != nullptr; }  // not once the driver has no such device

  // What belongs to the device directly.
  ViewList allocations;  // those without a resource
  void add(ResourceView& resource);
  void remove(ResourceView& resource);
  bool gone() const { return gone_; }

  // The adapter stops: the driver destroys everything on the device, and the device. The client's handles stay, and can
  // only be destroyed. Without the mutex, alone in the driver.
  void detach();

  D3DKMT_HANDLE handle = 0;

 private:
  Device(base::Ref<ProcessAdapter> process_adapter, D3DKMT_CREATEDEVICEFLAGS flags, ob::Ordinals& ordinals);
  // D3DKMTDestroyDevice, or the end of the process: closes the handles of everything on the device, destroys it, and
  // then destroys the device at the driver. Waits for what is in flight; without the mutex.
  void on_last_handle_closed() override;
  base::Result<> create_at_driver();
  void note_leaks();
  void close_queues();
  void close_handles();
  void begin_destructions();
  void leave_driver();
  void destroy_at_driver();

  base::Ref<ProcessAdapter> process_adapter_;
  const D3DKMT_CREATEDEVICEFLAGS flags_;
  HANDLE driver_device_ = nullptr;
  nt::Scope scope_;
  std::atomic<State> state_{State::Active};
  bool gone_ = true;  // the driver has no such device, yet or any more
  HANDLE name_ = nullptr;
  Timeline work_;
  std::deque<Timeline> timelines_;
  std::vector<Timeline*> spare_timelines_;
  std::unique_ptr<DeviceQueue> queue_;
  DeviceFences fences_;
  boost::intrusive::list<ResourceView, boost::intrusive::member_hook<ResourceView, ListHook, &ResourceView::list_hook>>
      resources_;
};

}  // namespace dxgk
