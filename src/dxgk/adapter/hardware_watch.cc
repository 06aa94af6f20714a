#include "dxgk/adapter/hardware_watch.h"

#include <string_view>

#include "nt/machine/thread.h"

namespace dxgk {
namespace {

// A driver's own threads, timers and work items may have begun before; only its functions are judged.
bool in_ddi(const nt::Thread& thread) {
  for (const nt::DriverCallFrame* frame = thread.driver_call; frame; frame = frame->outer) {
    if (std::string_view(frame->name).starts_with("DxgkDdi")) return true;
  }
  return false;
}

}  // namespace

void HardwareWatch::begin_cleanup(nt::Device& device) {
  if (time_.load(std::memory_order_relaxed) == Time::Gone) return;
  cleaner_ = base::Executor::current();
  time_.store(Time::Cleanup, std::memory_order_release);
  device.set_watcher(this);
}

void HardwareWatch::end_cleanup(nt::Device& device) {
  if (time_.load(std::memory_order_relaxed) != Time::Cleanup) return;
  device.set_watcher(nullptr);
  time_.store(Time::Work, std::memory_order_release);
}

void HardwareWatch::gone(nt::Device& device) {
  time_.store(Time::Gone, std::memory_order_release);
  device.set_watcher(this);
}

// During the clean-up interrupts and DPCs may still come (documented), on any thread.
std::optional<nt::DeviceWatcher::Objection> HardwareWatch::on_register() {
  const nt::Thread* thread = nt::Thread::current();
  if (!thread || !in_ddi(*thread)) return std::nullopt;
  switch (time_.load(std::memory_order_acquire)) {
    case Time::Cleanup:
      if (base::Executor::current() != cleaner_ || thread->irql >= DISPATCH_LEVEL) return std::nullopt;
      return Objection{nt::Violation::CleanupTouchesDevice,
                       "between DxgkDdiResetFromTimeout and DxgkDdiRestartFromTimeout"};
    case Time::Gone:
      return Objection{nt::Violation::RegisterAfterRemoval, "after DxgkDdiNotifySurpriseRemoval had returned"};
    case Time::Work:
      break;
  }
  return std::nullopt;
}

std::optional<nt::DeviceWatcher::Objection> HardwareWatch::on_memory() {
  if (time_.load(std::memory_order_acquire) != Time::Cleanup) return std::nullopt;
  return Objection{nt::Violation::ResetStillWorks, "after DxgkDdiResetFromTimeout had returned"};
}

}  // namespace dxgk
