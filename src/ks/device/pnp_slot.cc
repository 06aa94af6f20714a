#include "ks/device/pnp_slot.h"

#include "ks/device/device.h"
#include "ks/device/system.h"
#include "nt/hardware/resource_list.h"

namespace ks {

PnpSlot::PnpSlot(System& system, nt::Device* hardware)
    : system_(system), hardware_(hardware), stack_(system.machine()) {
  if (!stack_.physical() || !hardware_) return;
  stack_.assign(nt::make_resource_list(system.machine(), *hardware_), hardware_->line());
  hardware_->attach_to(*stack_.physical());
}

PnpSlot::~PnpSlot() {
  if (device_) stack_.abandon();
}

base::Result<Device*> PnpSlot::add(DRIVER_OBJECT& driver) {
  if (!stack_.physical()) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a physical device object");
  Driver* found = system_.driver_of(&driver);
  if (!found) return base::Failure(STATUS_NO_SUCH_DEVICE, "the driver did not call KsInitializeDriver");
  device_ = TRY(Device::add(*found, *stack_.physical()));
  return device_;
}

NTSTATUS PnpSlot::surprise_remove() {
  if (hardware_) hardware_->reset();  // what is pulled out does nothing any more
  return stack_.pnp(IRP_MN_SURPRISE_REMOVAL);
}

NTSTATUS PnpSlot::remove() {
  NTSTATUS status = stack_.pnp(IRP_MN_REMOVE_DEVICE);
  device_ = nullptr;
  return status;
}

}  // namespace ks
