// The end of an adapter, in Windows' order: the clients' objects, the system's own, the device, the driver's context.
#include <fmt/format.h>

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/adapter/adapter_interrupts.h"
#include "dxgk/adapter/hardware_watch.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/adapter/system_devices.h"
#include "dxgk/destroy/destruction.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/device.h"
#include "dxgk/object/process.h"
#include "dxgk/work/gpu.h"
#include "nt/ke/dpc_queues.h"

namespace dxgk {
namespace {

// The destruction of an allocation waits, without limit, for a driver that holds a reference to it. While an object of
// this class lives, the driver has kLimit of the machine's time to release it. Then that is a finding, and the wait
// ends.
class Patience {
 public:
  static constexpr base::TimeNs kLimit = 2'000'000'000;

  explicit Patience(Adapter& adapter) : machine_(adapter.machine()) {
    if (!adapter.kernel().acquired().holds(adapter)) return;
    auto wait = [&adapter, over = over_] {
      base::Executor& executor = adapter.machine().executor();
      base::TimeNs limit = executor.now() + kLimit;
      while (!*over && executor.park(limit, base::Point::Wait) != base::Wake::Deadline) {
      }
      if (!*over) adapter.kernel().acquired().let_go_of(adapter, AcquiredHandles::Tell::Yes);
    };
    thread_ = &machine_.create_thread({.name = "graphics patience", .body = std::move(wait), .housekeeping = true});
  }
  ~Patience() {
    *over_ = true;
    if (thread_) machine_.executor().unpark(*thread_->task);
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  nt::Machine& machine_;
  std::shared_ptr<std::atomic<bool>> over_ = std::make_shared<std::atomic<bool>>(false);
  nt::Thread* thread_ = nullptr;
};

}  // namespace

void Adapter::detach_clients() {
  paging_work_.complete_all();
  if (!talks_to_driver()) kernel_.acquired().let_go_of(*this, AcquiredHandles::Tell::No);
  Patience patience(*this);
  for (const auto& process : process_adapters()) {
    std::vector<base::Ref<Device>> devices;
    {
      ParkingLock lock(process->mutex());
      for (Device* device : process->devices) devices.push_back(base::Ref<Device>::share(*device));
    }
    for (const auto& device : devices) device->detach();
    leaving_devices_.wait(machine());
    memory_->end_process(*process);
    ParkingLock lock(process->mutex());
    tell_end(*process);
  }
  std::vector<base::Ref<Resource>> kept;  // by NT handles alone
  {
    base::Guard guard(lock_);
    for (Resource* resource = shared_.first(); resource; resource = resource->next_shared) {
      kept.push_back(base::Ref<Resource>::share(*resource));
    }
  }
  for (const auto& resource : kept) {
    auto destruction = std::make_unique<Destruction>(resource);
    ParkingLock lock(orphan_mutex_);
    if (!destruction->advance()) destructions_.add(std::move(destruction));
  }
  destructions_.drain();
}

// Success of the second form replaces the first, failure does not (SR-05). It is only for the adapter that shows the
// firmware's picture, and only with SupportNonVGA (observed).
void Adapter::stop_device() {
  NTSTATUS released = STATUS_NOT_SUPPORTED;
  if (hardware_->post_device && caps_.driver.SupportNonVGA && present() &&
      miniport_.has(&DRIVER_INITIALIZATION_DATA::DxgkDdiStopDeviceAndReleasePostDisplayOwnership)) {
    released = miniport_.call(Ddi::StopDeviceAndReleasePostDisplayOwnership,
                              &DRIVER_INITIALIZATION_DATA::DxgkDdiStopDeviceAndReleasePostDisplayOwnership, &scope_,
                              context_, hardware_->post_display.TargetId, &hardware_->post_display);
  }
  if (released < 0) {
    static_cast<void>(
        miniport_.call(Ddi::StopDevice, &DRIVER_INITIALIZATION_DATA::DxgkDdiStopDevice, &scope_, context_));
  }
}

void Adapter::stop() {
  if (!started() && state() != State::SurpriseRemoved) return;
  if (started()) {
    state_.store(State::Stopped, std::memory_order_release);
    refusal_ = "the adapter has been stopped";
  }
  detach_clients();
  quiesce();
}

void Adapter::quiesce() {
  memory_->stop();
  gpu_->stop();
  Alone alone(*this);
  system_->destroy();
  late_releases_.judge();
  if (talks_to_driver()) stop_device();
  // What was raised or queued before the driver had stopped its device still comes (observed: a DPC after the stop).
  interrupts_->disconnect();
  talks_.store(false, std::memory_order_release);
}

void Adapter::halt() {
  if (!gpu_->running()) return;
  state_.store(State::Stopped, std::memory_order_release);
  talks_.store(false, std::memory_order_release);
  gpu_->hardware_gone();
  detach_clients();
  memory_->stop();
  gpu_->stop();
}

void Adapter::remove() {
  if (state() == State::Removed) return;
  stop();
  talks_.store(false, std::memory_order_release);
  {
    Alone alone(*this);
    if (!abandoned_) {
      static_cast<void>(
          miniport_.call(Ddi::RemoveDevice, &DRIVER_INITIALIZATION_DATA::DxgkDdiRemoveDevice, &scope_, context_));
    }
    state_.store(State::Removed, std::memory_order_release);
  }
  kernel_.acquired().let_go_of(*this, abandoned_ ? AcquiredHandles::Tell::No : AcquiredHandles::Tell::Yes);
  // A driver that is not called any more cannot give anything back (SR-04).
  if (!abandoned_) machine().end_scope(scope_);
}

void Adapter::surprise_remove() {
  if (state() == State::Removed) return;
  bool was_started = started();
  present_.store(false, std::memory_order_release);
  state_.store(State::SurpriseRemoved, std::memory_order_release);
  refusal_ = "the hardware has gone";
  if (was_started) tell_surprise();
  gpu_->hardware_gone();
  if (was_started && !abandoned_) watch_gone_hardware();
  remove();
}

// A call that was in progress may have read the mark before it was set: it has to return first.
void Adapter::watch_gone_hardware() {
  if (!hardware_->device) return;
  BOOLEAN nothing;
  interrupts_->synchronize([](PVOID) -> BOOLEAN { return TRUE; }, nullptr, &nothing);
  machine().dpcs().flush();
  Alone alone(*this);
  hardware_watch_->gone(*hardware_->device);
}

// Level 0: other calls may be in progress. A driver that does not have this function, or fails, is not called again;
// Windows restarts the computer (documented).
void Adapter::tell_surprise() {
  const DXGK_DRIVERCAPS& driver = caps_.driver;
  NTSTATUS status = STATUS_NOT_SUPPORTED;
  if ((driver.SupportSurpriseRemoval || driver.SupportSurpriseRemovalInHibernation) &&
      miniport_.has(&DRIVER_INITIALIZATION_DATA::DxgkDdiNotifySurpriseRemoval)) {
    status = miniport_.call(Ddi::NotifySurpriseRemoval, &DRIVER_INITIALIZATION_DATA::DxgkDdiNotifySurpriseRemoval,
                            &scope_, context_, DxgkRemovalPnPNotify);
  }
  if (status >= 0) return;
  refusal_ = fmt::format("the hardware has gone, and the driver answered 0x{:08X} to that: Windows would restart",
                         static_cast<uint32_t>(status));
  talks_.store(false, std::memory_order_release);
  abandoned_ = true;
}

bool Adapter::set_power(DEVICE_POWER_STATE state, POWER_ACTION action) {
  Alone alone(*this);
  CHECK_MSG(started(), "only an adapter that runs can sleep");
  return miniport_.call(Ddi::SetPowerState, &DRIVER_INITIALIZATION_DATA::DxgkDdiSetPowerState, &scope_, context_,
                        DISPLAY_ADAPTER_HW_ID, state, action) >= 0;
}

bool Adapter::power_cycle() {
  bool down = set_power(PowerDeviceD3, PowerActionSleep);
  bool up = set_power(PowerDeviceD0, PowerActionNone);
  return down && up;
}

}  // namespace dxgk
