#include "umd/common/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "kmt/client/thunks.h"
#include "umd/callbacks/callback.h"

namespace umd {
namespace {

constexpr size_t kSlab = 256;

}  // namespace

Device::Device(Runtime& its_runtime, kmt::Client& client, D3DKMT_HANDLE adapter, nt::Scope& scope, Era era)
    : runtime(its_runtime), client_(client), scope_(scope), adapter_(adapter), era_(era) {
  fill_device_callbacks(callbacks_, era);
  RuntimeGuard guard(runtime.lock);
  handle_ = runtime.handles.add(HandleKind::Device, this);
}

Device::~Device() {
  destroy_kernel_device();
  RuntimeGuard guard(runtime.lock);
  while (resources_) remove_resource(*resources_);
  for (const auto& context : contexts_) runtime.handles.remove(context->handle);
  runtime.handles.remove(handle_);
}

base::Result<> Device::create_kernel_device() {
  D3DKMT_CREATEDEVICE args{};
  args.hAdapter = adapter_;
  NTSTATUS status = kmt::CreateDevice(client_, &args);
  if (!NT_SUCCESS(status)) return base::Failure(status, "the kernel made no device");
  kernel_ = args.hDevice;
  return {};
}

void Device::destroy_kernel_device() {
  if (!kernel_) return;
  D3DKMT_DESTROYDEVICE args{.hDevice = std::exchange(kernel_, 0)};
  kmt::DestroyDevice(client_, &args);
}

// Callbacks that may report that there is no memory: a driver has to survive that.
static bool can_run_out_of_memory(Callback callback) {
  switch (callback) {
    case Callback::Allocate:
    case Callback::Lock:
    case Callback::Lock2:
    case Callback::CreateContext:
    case Callback::CreateContextVirtual:
    case Callback::CreateSynchronizationObject:
    case Callback::CreateSynchronizationObject2:
    case Callback::CreatePagingQueue:
    case Callback::MakeResident:
    case Callback::MapGpuVirtualAddress:
    case Callback::ReserveGpuVirtualAddress:
      return true;
    default:
      return false;
  }
}

HRESULT Device::next_failure(Callback callback) {
  if (can_run_out_of_memory(callback) && machine().fails(nt::FaultKind::Callback, name_of(callback))) {
    return E_OUTOFMEMORY;
  }
  RuntimeGuard guard(runtime.lock);
  if (fault_.nth == 0 || (fault_.callback != Callback::None && fault_.callback != callback)) return S_OK;
  return --fault_.nth == 0 ? fault_.result : S_OK;
}

void Device::report_violation(nt::Violation what, std::string sentence, std::vector<nt::RoleStack> more) {
  if (Frame* running = frame()) running->found = true;
  machine().report_violation(what, fmt::format("{}: {}", runtime.driver_name(), sentence), std::move(more));
}

std::vector<nt::RoleStack> Device::stacks_of(base::StackId allocated_at) {
  if (!allocated_at) return {};
  return {{"allocated", machine().stacks().get(allocated_at)}};
}

// --- Calls ---

Frame* Device::frame() {
  nt::Thread* self = nt::Thread::current();
  RuntimeGuard guard(runtime.lock);
  Frame* found = frames_;
  while (found && found->thread != self) found = found->next;
  return found;
}

void Device::enter(Frame& frame) {
  RuntimeGuard guard(runtime.lock);
  frame.thread = nt::Thread::current();
  frame.submissions = commands_.count();
  frame.next = frames_;
  frames_ = &frame;
}

void Device::leave(Frame& frame) {
  RuntimeGuard guard(runtime.lock);
  Frame** link = &frames_;
  while (*link != &frame) link = &(*link)->next;
  *link = frame.next;
}

// --- Resources ---

Resource& Device::add_resource() {
  if (!free_resources_) {
    Resource* slab = slabs_.emplace_back(std::make_unique<Resource[]>(kSlab)).get();
    for (size_t i = kSlab; i-- > 0;) {
      slab[i].next = free_resources_;
      free_resources_ = &slab[i];
    }
  }
  Resource& resource = *std::exchange(free_resources_, free_resources_->next);
  resource = {};
  resource.use.id = ++resources_made_;
  resource.handle = runtime.handles.add(HandleKind::Resource, &resource);
  resource.next = resources_;
  if (resources_) resources_->prev = &resource;
  resources_ = &resource;
  ++resource_count_;
  return resource;
}

void Device::remove_resource(Resource& resource) {
  allocations_.remove_all(resource);
  allocations_.outlive(resource);
  std::erase(written_, &resource);
  runtime.handles.remove(resource.handle);
  if (resource.prev) {
    resource.prev->next = resource.next;
  } else {
    resources_ = resource.next;
  }
  if (resource.next) resource.next->prev = resource.prev;
  resource.next = free_resources_;
  free_resources_ = &resource;
  --resource_count_;
}

void Device::resource_destroyed(Resource& resource) {
  allocations_.outlive(resource);
  if (resource.kernel == 0 && resource.allocations == 0) {
    remove_resource(resource);
  } else {
    resource.state = ResourceState::Zombie;
  }
}

void Device::give_back(const Resource& resource) {
  if (!resource.kernel) return;
  D3DKMT_DESTROYALLOCATION2 args{};
  args.hDevice = kernel_;
  args.hResource = resource.kernel;
  kmt::DestroyAllocation2(client_, &args);
}

// --- Batches ---

void Device::use(const Frame& frame, std::span<Resource* const> resources, Work work) {
  RuntimeGuard guard(runtime.lock);
  commands_.add(work, resources, frame.submissions, contexts_.several());
}

void Device::use(const Frame& frame, std::initializer_list<Resource*> resources) {
  use(frame, std::span(resources.begin(), resources.size()));
}

void Device::memory_exchanged(Resource& resource) {
  RuntimeGuard guard(runtime.lock);
  allocations_.forget_unnamed(resource);
}

void Device::write(const Frame& frame, Resource* resource) {
  if (!resource || !resource->scanned_out) return;
  RuntimeGuard guard(runtime.lock);
  bool known = std::find(written_.begin(), written_.end(), resource) != written_.end();
  if (!known && commands_.count().all == frame.submissions.all) written_.push_back(resource);
}

// --- The end ---

void Device::settle() {
  struct Left {
    nt::Violation rule;
    std::string what;
    std::vector<nt::RoleStack> stacks;
  };
  std::vector<Left> left;
  {
    RuntimeGuard guard(runtime.lock);
    for (Resource* resource = resources_; resource; resource = resource->next) {
      if (resource->allocations == 0 && resource->released_by_list) {
        left.push_back(
            {nt::Violation::UmdResourceLeft,
             "DestroyDevice returned, and a resource whose allocations were deallocated by their handles was "
             "never deallocated itself",
             stacks_of(*resource)});
      } else {
        left.push_back({nt::Violation::UmdZombieAtEnd,
                        fmt::format("DestroyDevice returned, and {} allocations of a resource that DestroyResource "
                                    "released were still to be deallocated",
                                    resource->allocations),
                        stacks_of(*resource)});
      }
    }
    if (size_t own = allocations_.live(); left.empty() && own) {
      left.push_back(
          {nt::Violation::UmdAllocationLeft,
           fmt::format("DestroyDevice returned, and {} allocations of the driver's own were not deallocated", own),
           {}});
    }
  }
  for (Left& each : left) report_violation(each.rule, std::move(each.what), std::move(each.stacks));
}

}  // namespace umd
