#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dxgk/object/device.h"
#include "vidsch/context.h"

namespace dxgk {

class CommandBuffers;
class Context;
class PresentMemory;

// The scheduler's part of a context. The paging context has no owner.
class ContextQueue final : public vidsch::Context {
 public:
  ContextQueue(vidsch::DeviceState& device, const vidsch::ContextSettings& settings, dxgk::Context* of)
      : vidsch::Context(device, settings), owner(of) {}

  dxgk::Context* const owner;
};

// A queue of a device's work for one node of the GPU, and the driver's value for it. The client's side is guarded by
// its process's mutex, the queue by the scheduler's lock (gpu.h).
class Context final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = ob::ObjectKind::Context;

  struct Request {
    uint32_t node = 0;
    uint32_t affinity = 0;
    D3DDDI_CREATECONTEXTFLAGS flags{};
    bool virtual_addressing = false;
  };

  // Tells the driver (DxgkDdiCreateContext), which may write into the private data.
  static base::Result<ob::UnpublishedObject<Context>> create(Device& device, const Request& request,
                                                             std::span<uint8_t> private_data);
  ~Context() override;

  Device& device() const { return *device_; }
  Adapter& adapter() const { return device_->adapter(); }
  uint32_t node() const { return request_.node; }
  bool virtual_addressing() const { return request_.virtual_addressing; }
  bool synchronization_only() const { return request_.flags.SynchronizationOnly; }
  HANDLE driver_context() const { return driver_context_; }
  const DXGK_CONTEXTINFO& info() const { return info_; }
  nt::Scope& scope() { return scope_; }

  // With the mutex held: usable as its device is.
  base::Result<> usable() const;
  // What was queued on it and what has come back.
  Timeline& work() { return *work_; }
  ContextQueue& queue() { return queue_; }

  // What D3DKMTCreateContext hands to a client whose commands are patched: once, before the context is known to it.
  base::Result<std::reference_wrapper<CommandBuffers>> make_command_buffers();
  CommandBuffers* command_buffers() const { return command_buffers_.get(); }

  // Where the driver writes presents of a context whose addresses are virtual; made at the first. With the mutex held.
  PresentMemory& present_memory();

  // The adapter stops, or the device goes: the driver's context is destroyed. Without the mutex.
  void detach();

  D3DKMT_HANDLE handle = 0;
  uint32_t root_told = 0;  // which version, with DxgkDdiSetRootPageTable; the scheduler's thread
  // Blocks of DmaBufferPrivateDataSize bytes that no packet uses; the scheduler's lock.
  std::vector<void*> spare_private_data;
  int32_t priority = 0;
  int32_t in_process_priority = 0;

 private:
  Context(Device& device, const Request& request, ob::Ordinals& ordinals);
  void on_last_handle_closed() override;
  base::Result<> create_at_driver(std::span<uint8_t> private_data);
  void destroy_at_driver();

  base::Ref<Device> device_;
  const Request request_;
  HANDLE name_ = nullptr;
  HANDLE driver_context_ = nullptr;
  DXGK_CONTEXTINFO info_{};
  nt::Scope scope_;
  Timeline* work_;  // the device's, lent
  ContextQueue queue_;
  std::unique_ptr<CommandBuffers> command_buffers_;
  std::unique_ptr<PresentMemory> present_memory_;
  bool gone_ = true;  // the driver has no such context: not yet, or no longer
};

}  // namespace dxgk
