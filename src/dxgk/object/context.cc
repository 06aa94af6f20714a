#include "dxgk/object/context.h"

#include <fmt/format.h>

#include <optional>

#include "dxgk/adapter/adapter.h"
#include "dxgk/ddi/call_buffer.h"
#include "dxgk/ddi/driver_names.h"
#include "dxgk/ddi/thread_context.h"
#include "dxgk/present/present_memory.h"
#include "dxgk/work/command_buffers.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/gpu.h"

namespace dxgk {

Context::Context(Device& device, const Request& request, ob::Ordinals& ordinals)
    : ob::Object(kKind, ordinals),
      device_(base::Ref<Device>::share(device)),
      request_(request),
      scope_(nt::ScopeKind::Context, fmt::format("{}.{}", device.process().id(), ordinal()), &device.scope()),
      work_(&device.lend_timeline()),
      queue_(device.queue().state,
             {.node = request.node, .may_run_long = device.may_run_long() || request.flags.DisableGpuTimeout}, this) {}

Context::~Context() = default;

base::Result<ob::UnpublishedObject<Context>> Context::create(Device& device, const Request& request,
                                                             std::span<uint8_t> private_data) {
  const AdapterCaps& caps = device.adapter().caps();
  if (request.node >= caps.nodes) return base::Failure(STATUS_INVALID_PARAMETER, "the adapter has no such node");
  // Destroyed after the lock: the end of a refused context takes the mutex again.
  std::optional<ob::UnpublishedObject<Context>> context;
  ParkingLock lock(device.mutex());
  TRY(device.usable());
  context.emplace(ob::UnpublishedObject<Context>::adopt(new Context(device, request, device.process().ordinals())));
  TRY((*context)->create_at_driver(private_data));
  return std::move(*context);
}

// A driver without MultiEngineAware has no contexts: its device stands for each (documented).
base::Result<> Context::create_at_driver(std::span<uint8_t> private_data) {
  if (!adapter().caps().driver.SchedulingCaps.MultiEngineAware) {
    driver_context_ = device_->driver_device();
  } else {
    name_ = adapter().names().issue(DriverNames::Kind::Context, this);
    CallBuffer data(device_->machine(), private_data);
    DXGKARG_CREATECONTEXT args{};
    args.hContext = name_;
    args.NodeOrdinal = request_.node;
    args.EngineAffinity = request_.affinity;
    args.Flags.VirtualAddressing = request_.virtual_addressing;
    args.Flags.HwQueueSupported = request_.flags.HwQueueSupported;
    args.pPrivateDriverData = private_data.empty() ? nullptr : data.data();
    args.PrivateDriverDataSize = static_cast<UINT>(private_data.size());
    ThreadContext context(&device_->process());
    NTSTATUS status = adapter().miniport().call(Ddi::CreateContext, &DRIVER_INITIALIZATION_DATA::DxgkDdiCreateContext,
                                                &scope_, device_->driver_device(), &args);
    if (status < 0) {
      device_->machine().end_scope(scope_);
      adapter().names().withdraw(std::exchange(name_, nullptr));
      device_->return_timeline(*work_);
      return base::Failure(status, "the driver refused the context (DxgkDdiCreateContext)");
    }
    data.copy_back(private_data);
    driver_context_ = args.hContext;
    info_ = args.ContextInfo;
  }
  gone_ = false;
  adapter().gpu().add(queue_);
  device_->contexts.push_back(this);
  return {};
}

base::Result<> Context::usable() const {
  if (gone_) return base::Failure(STATUS_INVALID_PARAMETER, "the context is being destroyed");
  return device_->usable();
}

PresentMemory& Context::present_memory() {
  if (!present_memory_) present_memory_ = std::make_unique<PresentMemory>(*this);
  return *present_memory_;
}

// Waits for what is queued (TD-01), without the mutex.
void Context::on_last_handle_closed() {
  base::Ref<Context> self = base::Ref<Context>::share(*this);
  detach();
}

void Context::detach() {
  {
    ParkingLock lock(device_->mutex());
    if (std::exchange(gone_, true)) return;
    device_->contexts.erase(this);
    device_->leaving_contexts.begin();
  }
  adapter().gpu().end_queue(*this);
  if (present_memory_) present_memory_->close();
  {
    ParkingLock lock(device_->mutex());
    destroy_at_driver();
    device_->return_timeline(*work_);
  }
  device_->leaving_contexts.end(device_->machine());
}

void Context::destroy_at_driver() {
  if (!name_) return;
  nt::Machine& machine = device_->machine();
  if (adapter().talks_to_driver()) {
    ThreadContext context(&device_->process());
    LateReleases::Elsewhere elsewhere(adapter().late_releases());
    static_cast<void>(adapter().miniport().call(Ddi::DestroyContext, &DRIVER_INITIALIZATION_DATA::DxgkDdiDestroyContext,
                                                &scope_, driver_context_));
    machine.end_scope(scope_);
  } else {
    machine.hand_over(scope_, adapter().scope());
  }
  adapter().names().withdraw(std::exchange(name_, nullptr));
}

}  // namespace dxgk
