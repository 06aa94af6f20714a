#include "dxgk/object/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/ddi/driver_names.h"
#include "dxgk/ddi/thread_context.h"
#include "dxgk/destroy/destruction.h"
#include "dxgk/object/context.h"
#include "dxgk/object/unpublished_handle.h"
#include "dxgk/object/views.h"
#include "dxgk/paging/paging_queue.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/gpu.h"

namespace dxgk {

Device::Device(base::Ref<ProcessAdapter> process_adapter, D3DKMT_CREATEDEVICEFLAGS flags, ob::Ordinals& ordinals)
    : ob::Object(kKind, ordinals),
      process_adapter_(std::move(process_adapter)),
      flags_(flags),
      scope_(nt::ScopeKind::Device, fmt::format("{}.{}", process_adapter_->process().id(), ordinal()),
             &process_adapter_->adapter().scope()),
      work_(process_adapter_->adapter().listener()),
      fences_(process_adapter_->adapter().kernel().fences()) {}

Device::~Device() = default;

nt::Machine& Device::machine() { return adapter().machine(); }

base::Result<ob::UnpublishedObject<Device>> Device::create(base::Ref<ProcessAdapter> process_adapter,
                                                           D3DKMT_CREATEDEVICEFLAGS flags) {
  ob::Ordinals& ordinals = process_adapter->process().ordinals();
  // If the driver refuses, it is dropped after the mutex has been left.
  auto device = ob::UnpublishedObject<Device>::adopt(new Device(std::move(process_adapter), flags, ordinals));
  base::Result<> created = device->create_at_driver();
  if (!created.ok()) {
    if (device->queue_) device->adapter().gpu().end_device_queue(std::move(device->queue_));
    return created.failure();
  }
  return device;
}

base::Result<> Device::create_at_driver() {
  ProcessAdapter& owner = *process_adapter_;
  ParkingLock lock(owner.mutex());
  if (!adapter().started() || owner.ended) return base::Failure(STATUS_DEVICE_REMOVED, "the adapter has been stopped");
  if (adapter().caps().kind == DriverKind::DisplayOnly) {
    return base::Failure(STATUS_NOT_SUPPORTED, "a display-only driver has no DxgkDdiCreateDevice");
  }
  queue_ = adapter().gpu().make_device_queue(*this);
  DXGKARG_CREATEDEVICE args{};
  name_ = adapter().names().issue(DriverNames::Kind::Device, this);
  args.hDevice = name_;
  args.hKmdProcess = owner.driver_process();
  ThreadContext context(&owner.process());
  NTSTATUS status = adapter().miniport().call(Ddi::CreateDevice, &DRIVER_INITIALIZATION_DATA::DxgkDdiCreateDevice,
                                              &scope_, adapter().context(), &args);
  if (status < 0) {
    machine().end_scope(scope_);
    adapter().names().withdraw(name_);
    return base::Failure(status, "the driver refused the device (DxgkDdiCreateDevice)");
  }
  driver_device_ = args.hDevice;
  gone_ = false;
  owner.devices.push_back(this);
  return {};
}

base::Result<> Device::usable() const {
  if (state() != State::Active || gone_) {
    return base::Failure(STATUS_DEVICE_REMOVED, "the device is lost: it can only be destroyed");
  }
  if (!process_adapter_->adapter().started()) {
    return base::Failure(STATUS_DEVICE_REMOVED, "the adapter has been stopped");
  }
  return {};
}

Moment Device::queued_work() const {
  Moment moment;
  moment.add(work_);
  for (const Timeline& timeline : timelines_) moment.add(timeline);
  return moment;
}

Timeline& Device::lend_timeline() {
  if (spare_timelines_.empty()) return timelines_.emplace_back(adapter().listener());
  Timeline& timeline = *spare_timelines_.back();
  spare_timelines_.pop_back();
  return timeline;
}

void Device::add(ResourceView& resource) {
  resources_.push_back(resource);
  resource.resource().views.add(resource);
}

void Device::remove(ResourceView& resource) {
  resource.resource().views.remove(resource);
  resources_.erase(resources_.iterator_to(resource));
}

// Windows destroys what is left as if the client had destroyed it.
void Device::begin_destructions() {
  DestructionQueue& queue = adapter().destructions();
  auto start = [&](std::unique_ptr<Destruction> destruction) {
    if (!destruction->advance()) queue.add(std::move(destruction));
  };
  for (ResourceView& resource : resources_) {
    start(std::make_unique<Destruction>(*this, base::Ref<ResourceView>::share(resource), DestroyFlags{}));
  }
  std::vector<base::Ref<AllocationView>> alone;
  for (AllocationView& view : allocations) alone.push_back(base::Ref<AllocationView>::share(view));
  if (!alone.empty()) start(std::make_unique<Destruction>(*this, alone, DestroyFlags{}));
}

void Device::note_leaks() {
  Ledger& ledger = process().ledger();
  for (const Context* context : contexts) ledger.leaked({ob::ObjectKind::Context, context->handle, 0, 0});
  for (const PagingQueue* queue : paging_queues) ledger.leaked({ob::ObjectKind::PagingQueue, queue->handle, 0, 0});
  auto add_views = [&](const ViewList& views) {
    for (const AllocationView& view : views) {
      ledger.leaked({ob::ObjectKind::Allocation, view.handle, view.allocation().size(), view.created_at});
    }
  };
  for (const ResourceView& resource : resources_) {
    ledger.leaked({ob::ObjectKind::Resource, resource.handle, 0, resource.created_at});
    add_views(resource.views);
  }
  add_views(allocations);
}

// Each waits for its own work. Without the mutex.
void Device::close_queues() {
  for (;;) {
    std::optional<base::Ref<Context>> context;
    std::optional<base::Ref<PagingQueue>> queue;
    {
      ParkingLock lock(mutex());
      if (!contexts.empty()) {
        context = base::Ref<Context>::share(*contexts.front());
      } else if (!paging_queues.empty()) {
        queue = base::Ref<PagingQueue>::share(*paging_queues.front());
      } else {
        return;
      }
    }
    if (context) {
      static_cast<void>(dxgk::close_handle<Context>(process(), (*context)->handle));
      (*context)->detach();  // a client that closed it meanwhile is waited for
    } else {
      static_cast<void>(dxgk::close_handle<PagingQueue>(process(), (*queue)->handle));
      (*queue)->detach();
    }
  }
}

void Device::close_handles() {
  while (!resources_.empty()) {
    base::Ref<ResourceView> resource = base::Ref<ResourceView>::share(resources_.front());
    forget(*resource);
  }
  while (!allocations.empty()) {
    base::Ref<AllocationView> view = base::Ref<AllocationView>::share(allocations.front());
    forget(*view);
  }
}

void Device::on_last_handle_closed() {
  base::Ref<Device> self = base::Ref<Device>::share(*this);  // its objects refer to it until they are destroyed
  {
    ParkingLock lock(mutex());
    note_leaks();
    if (!gone_) adapter().gpu().end_patience(*this);
  }
  close_queues();
  adapter().kernel().fences().end_waits(*this);
  bool known_to_driver;
  {
    ParkingLock lock(mutex());
    known_to_driver = !std::exchange(gone_, true);
    if (known_to_driver) begin_destructions();
    close_handles();
    process_adapter_->devices.erase(this);
    adapter().leaving_devices().begin();
  }
  adapter().destructions().drain(*this);
  if (known_to_driver) leave_driver();
  adapter().leaving_devices().end(machine());
}

void Device::leave_driver() {
  {
    ParkingLock lock(mutex());
    destroy_at_driver();
  }
  adapter().gpu().end_device_queue(std::move(queue_));
}

void Device::detach() {
  adapter().gpu().lose(*this, State::Stopped);
  std::vector<base::Ref<Context>> open;
  std::vector<base::Ref<PagingQueue>> queues;
  {
    ParkingLock lock(mutex());
    for (Context* context : contexts) open.push_back(base::Ref<Context>::share(*context));
    for (PagingQueue* queue : paging_queues) queues.push_back(base::Ref<PagingQueue>::share(*queue));
  }
  for (const auto& context : open) context->detach();
  leaving_contexts.wait(machine());
  for (const auto& queue : queues) queue->detach();
  {
    ParkingLock lock(mutex());
    if (std::exchange(gone_, true)) return;
    work_.complete_all();
    begin_destructions();
  }
  adapter().destructions().drain(*this);
  leave_driver();
}

void Device::destroy_at_driver() {
  if (adapter().talks_to_driver()) {
    ThreadContext context(&process());
    LateReleases::Elsewhere elsewhere(adapter().late_releases());
    static_cast<void>(adapter().miniport().call(Ddi::DestroyDevice, &DRIVER_INITIALIZATION_DATA::DxgkDdiDestroyDevice,
                                                &scope_, driver_device_));
    machine().end_scope(scope_);
  } else {
    machine().hand_over(scope_, adapter().scope());
  }
  driver_device_ = nullptr;
  adapter().names().withdraw(name_);
}

}  // namespace dxgk
