#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/run/driver_image.h"
#include "host/scenarios/nt/nt_driver.h"
#include "ks/device/device.h"
#include "ks/device/pnp_slot.h"
#include "ks/device/system.h"
#include "nt/hardware/device.h"

namespace host {

// A minidriver of AVStream in a running machine: loaded, with one device, its hardware in the slot. Used on a machine's
// thread at PASSIVE_LEVEL; image and system outlive it.
class KsDriver {
 public:
  KsDriver(ks::System& system, const DriverImage& image);
  ~KsDriver();
  KsDriver(const KsDriver&) = delete;
  KsDriver& operator=(const KsDriver&) = delete;

  // DriverEntry, AddDevice, IRP_MN_START_DEVICE. When one of them fails the others are undone and refusal() says which.
  bool start();
  // The device is removed and the driver unloaded; its files are closed by then.
  void stop();
  const std::string& refusal() const { return refusal_; }

  ks::PnpSlot& slot() { return *slot_; }
  ks::Device& device() { return *slot_->device(); }
  bool started() const { return started_; }
  const std::string& name() const { return name_; }
  // The filters that it offers, in order; how many pins they have together.
  size_t filters();
  // `pin` counts over all filters: which of them has it, and its id there.
  struct PinPlace {
    size_t filter;
    uint32_t pin;
  };
  std::optional<PinPlace> find_pin(uint32_t pin);

 private:
  bool refuse(const char* what, NTSTATUS status);

  ks::System& system_;
  const std::string name_;
  NtDriver driver_;
  const DriverImage& image_;
  std::unique_ptr<nt::Device> hardware_;
  std::unique_ptr<ks::PnpSlot> slot_;
  std::string refusal_;
  bool loaded_ = false;
  bool started_ = false;
};

}  // namespace host
