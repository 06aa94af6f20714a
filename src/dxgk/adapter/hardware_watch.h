#pragma once

#include <atomic>

#include "base/executor.h"
#include "nt/hardware/device.h"

namespace dxgk {

// Reports accesses at times when an adapter's hardware and its driver must not use each other, or memory: between a
// reset and the restart (TR-01, TR-02), and for good once the hardware has gone (SR-01). Owned by the adapter; watches
// its device only within these times.
class HardwareWatch final : public nt::DeviceWatcher {
 public:
  // DxgkDdiResetFromTimeout has returned; the calling thread, alone in the driver, makes the calls of the clean-up.
  void begin_cleanup(nt::Device& device);
  void end_cleanup(nt::Device& device);
  // DxgkDdiNotifySurpriseRemoval has returned, and so has every call that was in progress then. Alone in the driver.
  void gone(nt::Device& device);

  // nt::DeviceWatcher
  std::optional<Objection> on_register() override;
  std::optional<Objection> on_memory() override;

 private:
  enum class Time : uint8_t { Work, Cleanup, Gone };

  std::atomic<Time> time_{Time::Work};
  base::Task* cleaner_ = nullptr;  // only compared
};

}  // namespace dxgk
