#include "host/scenarios/ks/ks_driver.h"

#include <fmt/format.h>

namespace host {

KsDriver::KsDriver(ks::System& system, const DriverImage& image)
    : system_(system), name_(image.name()), driver_(system.machine(), image), image_(image) {}

KsDriver::~KsDriver() = default;

bool KsDriver::refuse(const char* what, NTSTATUS status) {
  refusal_ = fmt::format("{} failed with 0x{:08X}", what, static_cast<uint32_t>(status));
  if (slot_ && slot_->device()) slot_->remove();
  slot_.reset();
  if (std::exchange(loaded_, false)) driver_.unload();
  return false;
}

bool KsDriver::start() {
  nt::Machine& machine = system_.machine();
  if (image_.device_model()) {
    auto made = nt::Device::create(machine, *image_.device_model());
    if (!made.ok()) return refuse("the device model", made.failure().code());
    hardware_ = made.take();
  }
  NTSTATUS status = driver_.load();
  if (!NT_SUCCESS(status)) return refuse("DriverEntry", status);
  loaded_ = true;
  slot_ = std::make_unique<ks::PnpSlot>(system_, hardware_.get());
  auto device = slot_->add(driver_.object());
  if (!device.ok()) return refuse("AddDevice", device.failure().code());
  status = slot_->start();
  if (!NT_SUCCESS(status)) return refuse("IRP_MN_START_DEVICE", status);
  started_ = true;
  return true;
}

void KsDriver::stop() {
  if (slot_ && slot_->device()) slot_->remove();
  slot_.reset();
  started_ = false;
  if (std::exchange(loaded_, false)) driver_.unload();
}

size_t KsDriver::filters() { return device().factories().size(); }

std::optional<KsDriver::PinPlace> KsDriver::find_pin(uint32_t pin) {
  const auto& factories = device().factories();
  for (size_t filter = 0; filter < factories.size(); ++filter) {
    ULONG pins = factories[filter]->descriptor().PinDescriptorsCount;
    if (pin < pins) return PinPlace{filter, pin};
    pin -= pins;
  }
  return std::nullopt;
}

}  // namespace host
