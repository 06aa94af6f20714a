#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dxgk/adapter/kernel.h"
#include "host/run/driver_image.h"
#include "host/scenarios/nt/nt_driver.h"
#include "kmt/allocation/nt_client_handles.h"
#include "kmt/client/client.h"
#include "kmt/memory/direct_memory.h"
#include "nt/hardware/device.h"

namespace host {

// A client process of the graphics kernel that lives in this one: its handles, and its memory as it is.
class EmbeddedClient {
 public:
  EmbeddedClient(dxgk::Kernel& kernel, const std::string& name);
  // The process dies with whatever it has.
  ~EmbeddedClient();
  EmbeddedClient(const EmbeddedClient&) = delete;
  EmbeddedClient& operator=(const EmbeddedClient&) = delete;

  void end();
  kmt::Client& client() { return client_; }
  operator kmt::Client&() { return client_; }

 private:
  kmt::DirectMemory memory_;
  kmt::NtClientHandles handles_;
  kmt::Client client_;
};

// Calls of each function of a driver, by dxgk::Ddi.
using DdiTotals = std::array<uint64_t, dxgk::kDdiCount>;

// A display miniport driver on a running machine: its image, its hardware, and the graphics kernel between the driver
// and its clients. Used on the machine's threads, at PASSIVE_LEVEL; the image outlives it.
class Graphics {
 public:
  Graphics(nt::Machine& machine, const DriverImage& image, const dxgk::Policy& policy);
  ~Graphics();
  Graphics(const Graphics&) = delete;
  Graphics& operator=(const Graphics&) = delete;

  // What the bus and the computer say of the device, before start(): it may lack something. `change` gets what would be
  // said else.
  void change_hardware(std::function<void(dxgk::Adapter::Hardware&)> change) { change_ = std::move(change); }

  // From DriverEntry to an adapter that clients can open. A refusal is told in one sentence and leaves nothing behind.
  base::Result<> start();
  // Clients first, then the adapter, then the image; and the audit of what is left.
  void stop();
  // The hardware is pulled out.
  void surprise_remove();

  // Something is made to fail on purpose: what clients ask for need not come about.
  void disturb() { disturbed_ = true; }
  bool disturbed() const { return disturbed_; }

  nt::Machine& machine() const { return machine_; }
  dxgk::Kernel& kernel() { return kernel_; }
  dxgk::Adapter& adapter() { return *adapter_; }
  // Whether clients can make devices on it: a display-only driver has none.
  bool has_devices() const { return adapter_->caps().kind != dxgk::DriverKind::DisplayOnly; }
  const std::string& refusal() const { return refusal_; }  // why start() failed, in full
  DdiTotals ddi_calls();

 private:
  base::Result<> build_hardware();
  dxgk::Adapter::Hardware describe_hardware(uint32_t driver_version) const;

  nt::Machine& machine_;
  const DriverImage& image_;
  dxgk::Kernel kernel_;
  NtDriver driver_;
  std::unique_ptr<nt::Device> device_;
  dxgk::Adapter* adapter_ = nullptr;
  std::function<void(dxgk::Adapter::Hardware&)> change_;
  bool loaded_ = false;
  bool disturbed_ = false;
  std::string refusal_;
};

}  // namespace host
