#pragma once

#include "abi/ks/ks.h"
#include "base/result.h"
#include "nt/hardware/device.h"
#include "nt/io/pnp_stack.h"

namespace ks {

class Device;
class System;

// One place on the bus: the physical device object, the hardware in it, and the Plug and Play manager's part for the
// minidriver's device above. Owned by the code that runs the driver; one thread at a time, at PASSIVE_LEVEL.
class PnpSlot {
 public:
  // `hardware` null: the device has no resources. It outlives the slot.
  PnpSlot(System& system, nt::Device* hardware);
  ~PnpSlot();  // the device was removed, or the run has ended
  PnpSlot(const PnpSlot&) = delete;
  PnpSlot& operator=(const PnpSlot&) = delete;

  // The device appears: AddDevice.
  base::Result<Device*> add(DRIVER_OBJECT& driver);
  Device* device() const { return device_; }

  // Each sends one request to the top of the device's stack and returns its status.
  NTSTATUS start() { return stack_.start(); }
  NTSTATUS query_stop() { return stack_.pnp(IRP_MN_QUERY_STOP_DEVICE); }
  NTSTATUS cancel_stop() { return stack_.pnp(IRP_MN_CANCEL_STOP_DEVICE); }
  NTSTATUS stop() { return stack_.pnp(IRP_MN_STOP_DEVICE); }
  NTSTATUS query_remove() { return stack_.pnp(IRP_MN_QUERY_REMOVE_DEVICE); }
  NTSTATUS cancel_remove() { return stack_.pnp(IRP_MN_CANCEL_REMOVE_DEVICE); }
  // The hardware is pulled out: sends IRP_MN_SURPRISE_REMOVAL. remove() follows when its last file is closed.
  NTSTATUS surprise_remove();
  // Removes the device and the physical device object.
  NTSTATUS remove();
  NTSTATUS query_power(DEVICE_POWER_STATE state) { return stack_.device_power(IRP_MN_QUERY_POWER, state); }
  NTSTATUS set_power(DEVICE_POWER_STATE state) { return stack_.device_power(IRP_MN_SET_POWER, state); }

 private:
  System& system_;
  nt::Device* const hardware_;
  nt::PnpStack stack_;
  Device* device_ = nullptr;
};

}  // namespace ks
