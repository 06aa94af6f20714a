#pragma once

#include <atomic>
#include <deque>
#include <string>
#include <vector>

#include "base/roster.h"
#include "dxgk/departures.h"
#include "dxgk/device_fences.h"
#include "dxgk/process.h"
#include "dxgk/resource.h"
#include "dxgk/timeline.h"

namespace dxgk {

class Context;
class DeviceQueue;
class PagingQueue;

// A client's device: what it has created and opened on one adapter, and the driver's value for it. Everything in it is
// guarded by its process's gate.
class Device final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::Device;

  // What a lost device is asked for, and says: D3DKMT_DEVICEEXECUTION_*.
  enum class State : uint8_t { Active, Reset, Hung, Stopped, Error, PageFaulted };

  // Tells the driver (DxgkDdiCreateDevice).
  static base::Result<ob::Fresh<Device>> create(base::Ref<ProcessAdapter> process_adapter,
                                                D3DKMT_CREATEDEVICEFLAGS flags = {});
  ~Device() override;

  ProcessAdapter& process_adapter() { return *process_adapter_; }
  const ProcessAdapter& process_adapter() const { return *process_adapter_; }
  Process& process() { return process_adapter_->process(); }
  Adapter& adapter() { return process_adapter_->adapter(); }
  nt::Machine& machine();
  Gate& gate() { return process_adapter_->gate(); }
  HANDLE driver_device() const { return driver_device_; }
  nt::Scope& scope() { return scope_; }
  // DisableGpuTimeout: no packet of it has a time by which it must end.
  bool may_run_long() const { return flags_.DisableGpuTimeout; }

  State state() const { return state_.load(std::memory_order_acquire); }
  // The first loss counts: what follows from it changes nothing. True if this was it. Any thread; who marks a device
  // tells the scheduler (Gpu::lose).
  bool mark(State state) {
    State active = State::Active;
    return state_.compare_exchange_strong(active, state, std::memory_order_acq_rel);
  }
  // Inside of the gate. STATUS_DEVICE_REMOVED on a lost device or a stopped adapter, STATUS_INVALID_PARAMETER on a
  // device that another thread has just destroyed.
  base::Result<> usable() const;

  // Work queued for the device by nobody in particular, and by each context: what a destruction of its allocations
  // waits for.
  Timeline& work() { return work_; }
  Moment queued_work() const;
  // A context's own. It stays the device's: a destruction may look at it when the context has gone. Inside of the gate.
  Timeline& lend_timeline();
  void return_timeline(Timeline& timeline) { spare_timelines_.push_back(&timeline); }

  // What it has created and opened of them.
  DeviceFences& fences() { return fences_; }

  // Inside of the gate.
  base::Roster<Context> contexts;
  Departures leaving_contexts;
  base::Roster<PagingQueue> paging_queues;
  // What the scheduler and the memory manager keep of it.
  DeviceQueue& queue() { return *queue_; }
  bool has_queue() const { return queue_ != nullptr; }  // not once the driver has no such device

  // What hangs on the device by itself.
  ViewList allocations;  // those without a resource
  void add(ResourceView& resource);
  void remove(ResourceView& resource);
  bool gone() const { return gone_; }

  // The adapter stops: the driver forgets everything on the device, and the device. The client's handles stay, and
  // serve only to be destroyed. Outside of the gate, alone in the driver.
  void detach();

  D3DKMT_HANDLE handle = 0;

 private:
  Device(base::Ref<ProcessAdapter> process_adapter, D3DKMT_CREATEDEVICEFLAGS flags, ob::Ordinals& ordinals);
  // D3DKMTDestroyDevice, or the end of the process: what hangs on the device goes with its handles, then the device at
  // the driver. Waits for what is in flight; outside of the gate.
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
  ResourceView* first_resource_ = nullptr;
  ResourceView* last_resource_ = nullptr;
};

}  // namespace dxgk
