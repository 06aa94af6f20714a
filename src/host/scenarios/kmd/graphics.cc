#include "host/scenarios/kmd/graphics.h"

#include <fmt/format.h>

#include <algorithm>

#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/process.h"
#include "dxgk/work/gpu.h"

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

base::Failure Graphics::refuse(const base::Failure& failure, std::string in_full) {
  refusal_ = in_full.empty() ? failure.why() : std::move(in_full);
  return failure;
}

base::Result<> Graphics::load_driver() {
  if (loaded_) return {};
  NTSTATUS status = driver_.load();
  if (status < 0) {
    const char* reason = kernel_.registration_refusal();
    refused_by_rule_ = *reason != 0;
    return refuse(base::Failure(status, "DriverEntry failed"),
                  fmt::format("DriverEntry failed with 0x{:08X}{}{}", static_cast<uint32_t>(status),
                              *reason ? ": " : "", reason));
  }
  loaded_ = true;
  return {};
}

base::Result<> Graphics::start_adapter() {
  dxgk::Driver* driver = kernel_.driver_of(&driver_.object());
  if (!driver) return refuse(base::Failure(STATUS_NOT_SUPPORTED, "the driver did not call DxgkInitialize"));
  auto adapter = kernel_.add_adapter(*driver, image_.name(), nullptr, describe_hardware(driver->version()));
  if (!adapter.ok()) {
    const dxgk::Adapter& refused = *kernel_.adapters().back();
    refused_by_rule_ = refused.refused_by_rule();
    return refuse(adapter.failure(), refused.refusal());
  }
  adapter_ = adapter.take();
  return {};
}

base::Result<> Graphics::start(OnRefusal on_refusal) {
  refused_by_rule_ = false;
  if (!device_) {
    auto hardware = build_hardware();
    if (!hardware.ok()) return refuse(hardware.failure());
  }
  TRY(load_driver());
  base::Result<> started = start_adapter();
  if (!started.ok() && on_refusal == OnRefusal::UnloadDriver) unload_driver();
  return started;
}

void Graphics::unload_driver() {
  if (std::exchange(loaded_, false)) driver_.unload();
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
  if (restarts) loaded_ = false;
  unload_driver();
}

DdiTotals Graphics::ddi_calls() {
  DdiTotals totals{};
  for (dxgk::Adapter* adapter : kernel_.adapters()) {
    const dxgk::DdiCounts& counts = adapter->miniport().counts();
    for (size_t i = 0; i < totals.size(); ++i) totals[i] += counts.of(static_cast<dxgk::Ddi>(i));
  }
  return totals;
}

Graphics::Submissions Graphics::submissions() {
  Submissions all;
  for (dxgk::Adapter* adapter : kernel_.adapters()) {
    all.aborted += adapter->gpu().submissions_aborted();
    all.completed += adapter->gpu().submissions_completed();
  }
  return all;
}

// --- What clients get ---

bool Graphics::undisturbed() const {
  return !disturbed_ && !machine_.broken() && adapter_ && adapter_->started() && !adapter_->memory().gave_up();
}

void Graphics::fall_short(std::string of_what) {
  if (shortfall_.empty()) shortfall_ = std::move(of_what);
}

void Graphics::surprise_remove() {
  surprise_removed_ = true;
  if (device_) device_->reset();  // what is pulled out reads and writes nothing any more
  adapter_->surprise_remove();
}

}  // namespace host
