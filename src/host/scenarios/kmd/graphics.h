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

  // From DriverEntry to an adapter that clients can open. A refusal is told in one sentence and leaves nothing behind,
  // but for the driver where it is to be kept: the next start() then begins with another adapter.
  enum class OnRefusal : uint8_t { UnloadDriver, KeepDriver };
  base::Result<> start(OnRefusal on_refusal = OnRefusal::UnloadDriver);
  // Clients first, then the adapter, then the image; and the audit of what is left.
  void stop();
  // The hardware is pulled out.
  void surprise_remove();

  // Something is made to fail on purpose: what clients ask for need not come about.
  void disturb() { disturbed_ = true; }
  bool disturbed() const { return disturbed_; }
  // Whether what a client asks for has to come about: nothing fails on purpose, no rule is broken yet, there is memory,
  // and the adapter is there.
  bool undisturbed() const;
  // A client did not get what it had to get. The scenario is incomplete then; the first of them is its reason. Any
  // thread of the machine.
  void fall_short(std::string of_what);
  const std::string& shortfall() const { return shortfall_; }

  nt::Machine& machine() const { return machine_; }
  dxgk::Kernel& kernel() { return kernel_; }
  dxgk::Adapter& adapter() { return *adapter_; }
  // Whether clients can make devices on it: a display-only driver has none.
  bool has_devices() const { return adapter_->caps().kind != dxgk::DriverKind::DisplayOnly; }
  const std::string& refusal() const { return refusal_; }  // why start() failed, in full
  // It failed because of what the driver has filled in or reported, and not because the driver itself failed.
  bool refused_by_rule() const { return refused_by_rule_; }
  // Null where the driver has none.
  const Workload* workload() const { return image_.workload(); }
  bool has_device_model() const { return image_.device_model() != nullptr; }
  bool surprise_removed() const { return surprise_removed_; }
  DdiTotals ddi_calls();
  // Of clients' work for the GPU, over all adapters: what the driver has completed, and what a fault or a reset ended.
  struct Submissions {
    uint64_t aborted = 0;
    uint64_t completed = 0;
  };
  Submissions submissions();

 private:
  base::Result<> build_hardware();
  base::Result<> load_driver();
  base::Result<> start_adapter();
  base::Failure refuse(const base::Failure& failure, std::string in_full = {});
  void unload_driver();
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
  bool refused_by_rule_ = false;
  bool surprise_removed_ = false;
  std::string refusal_;
  std::string shortfall_;
};

}  // namespace host
