#include "host/scenarios/kmd/graphics.h"

#include <fmt/format.h>

#include <algorithm>

#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/object/process.h"

namespace host {

EmbeddedClient::EmbeddedClient(dxgk::Kernel& kernel, const std::string& name)
    : client_(kernel.create_process(name), memory_, handles_) {}

EmbeddedClient::~EmbeddedClient() { end(); }

// As Windows ends a process: what it has of the graphics kernel, then the rest of its handles.
void EmbeddedClient::end() {
  client_.process().end();
  handles_.close_all();
}

Graphics::Graphics(nt::Machine& machine, const DriverImage& image, const dxgk::Policy& policy)
    : machine_(machine), image_(image), kernel_(machine, policy), driver_(machine, image) {}

Graphics::~Graphics() = default;

base::Result<> Graphics::build_hardware() {
  if (!image_.device_model()) return {};
  device_ = TRY(nt::Device::create(machine_, *image_.device_model()));
  return {};
}

// The Windows version that we imitate is newer than most drivers, which are given more services than they know, unless
// an older one was requested; never older than the driver.
dxgk::Adapter::Hardware Graphics::describe_hardware(uint32_t driver_version) const {
  auto hardware = device_ ? dxgk::Adapter::Hardware::of(*device_) : dxgk::Adapter::Hardware{};
  uint32_t offered = machine_.options().graphics_version;
  if (!offered) offered = static_cast<uint32_t>(dxgk::InterfaceVersion::Wddm3_1);
  hardware.interface_version = std::max(offered, driver_version);
  if (change_) change_(hardware);
  return hardware;
}

base::Result<> Graphics::start() {
  auto refuse = [&](const base::Failure& failure) {
    if (refusal_.empty()) refusal_ = failure.why();
    return failure;
  };
  auto hardware = build_hardware();
  if (!hardware.ok()) return refuse(hardware.failure());
  NTSTATUS status = driver_.load();
  if (status < 0) {
    refusal_ = fmt::format("DriverEntry failed with 0x{:08X}{}{}", static_cast<uint32_t>(status),
                           *kernel_.registration_refusal() ? ": " : "", kernel_.registration_refusal());
    return refuse(base::Failure(status, "DriverEntry failed"));
  }
  loaded_ = true;
  dxgk::Driver* driver = kernel_.driver_of(&driver_.object());
  if (!driver) {
    driver_.unload();
    loaded_ = false;
    return refuse(base::Failure(STATUS_NOT_SUPPORTED, "the driver did not call DxgkInitialize"));
  }
  auto adapter = kernel_.add_adapter(*driver, image_.name(), nullptr, describe_hardware(driver->version()));
  if (!adapter.ok()) {
    refusal_ = kernel_.adapters().back()->refusal();
    driver_.unload();
    loaded_ = false;
    return refuse(adapter.failure());
  }
  adapter_ = adapter.take();
  return {};
}

void Graphics::stop() {
  for (const auto& process : kernel_.processes()) process->end();
  if (adapter_) {
    if (adapter_->started()) adapter_->stop();
    adapter_->remove();
  }
  // A driver that is not called any more means that the computer is restarted: what it has left running is no
  // violation.
  bool restarts = adapter_ && adapter_->abandoned();
  if (std::exchange(loaded_, false) && !restarts) driver_.unload();
}

DdiTotals Graphics::ddi_calls() {
  DdiTotals totals{};
  for (dxgk::Adapter* adapter : kernel_.adapters()) {
    const dxgk::DdiCounts& counts = adapter->miniport().counts();
    for (size_t i = 0; i < totals.size(); ++i) totals[i] += counts.of(static_cast<dxgk::Ddi>(i));
  }
  return totals;
}

void Graphics::surprise_remove() {
  if (device_) device_->reset();  // what is pulled out reads and writes nothing any more
  adapter_->surprise_remove();
}

}  // namespace host
