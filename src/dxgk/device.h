#pragma once

#include <string>
#include <vector>

#include "dxgk/process.h"
#include "dxgk/resource.h"
#include "dxgk/timeline.h"

namespace dxgk {

// A client's device: what it has created and opened on one adapter, and the driver's value for it. Everything in it is
// guarded by its process's gate.
class Device final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::Device;

  // What a lost device is asked for, and says: D3DKMT_DEVICEEXECUTION_*.
  enum class State : uint8_t { Active, Reset, Hung, Stopped, Error };

  // Tells the driver (DxgkDdiCreateDevice).
  static base::Result<ob::Fresh<Device>> create(base::Ref<ProcessAdapter> process_adapter);
  ~Device() override;

  ProcessAdapter& process_adapter() { return *process_adapter_; }
  Process& process() { return process_adapter_->process(); }
  Adapter& adapter() { return process_adapter_->adapter(); }
  nt::Machine& machine();
  Gate& gate() { return process_adapter_->gate(); }
  HANDLE driver_device() const { return driver_device_; }
  nt::Scope& scope() { return scope_; }

  State state() const { return state_; }
  void mark(State state) { state_ = state; }
  // Inside of the gate. STATUS_DEVICE_REMOVED on a lost device or a stopped adapter, STATUS_INVALID_PARAMETER on a
  // device that another thread has just destroyed.
  base::Result<> usable() const;

  // Work queued for the device: what a destruction of its allocations waits for. A context adds its own.
  Timeline& work() { return work_; }
  Moment queued_work() const;

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
  Device(base::Ref<ProcessAdapter> process_adapter, ob::Ordinals& ordinals);
  // D3DKMTDestroyDevice, or the end of the process: what hangs on the device goes with its handles, then the device at
  // the driver. Waits for what is in flight; outside of the gate.
  void on_last_handle_closed() override;
  base::Result<> create_at_driver();
  void note_leaks();
  void close_handles();
  void begin_destructions();
  void destroy_at_driver();

  base::Ref<ProcessAdapter> process_adapter_;
  HANDLE driver_device_ = nullptr;
  nt::Scope scope_;
  State state_ = State::Active;
  bool gone_ = true;  // the driver has no such device, yet or any more
  Timeline work_;
  ResourceView* first_resource_ = nullptr;
  ResourceView* last_resource_ = nullptr;
};

}  // namespace dxgk
