#include "dxgk/object/create.h"

#include <boost/container/small_vector.hpp>

#include "base/align.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/ddi/allocation_ddi.h"
#include "dxgk/ddi/call_buffer.h"
#include "dxgk/ddi/thread_context.h"
#include "dxgk/object/allocation_info.h"
#include "dxgk/object/standard_allocation_registry.h"
#include "dxgk/object/standard_data.h"
#include "nt/mm/careful_copy.h"
#include "nt/mm/physical_memory.h"

namespace dxgk {
namespace {

Resource::Sharing sharing_of(D3DKMT_CREATEALLOCATIONFLAGS flags) {
  if (!flags.CreateShared) return Resource::Sharing::Private;
  return flags.NtSecuritySharing ? Resource::Sharing::NtHandle : Resource::Sharing::GlobalHandle;
}

AllocationTraits traits_of(const AdapterCaps& caps, const DXGK_ALLOCATIONINFO& info, const AllocationRequest& request) {
  return {.size = base::round_up(info.Size, base::kPageBytes),
          .alignment = alignment_of(info.Alignment, caps),
          .preferred_segments = info.PreferredSegment.Value,
          .read_segments = caps.described_segments(info.SupportedReadSegmentSet),
          .write_segments = caps.described_segments(info.SupportedWriteSegmentSet),
          .eviction_segments = caps.described_segments(info.EvictionSegmentSet) & caps.aperture_set(),
          .flags = info.Flags.Value,
          .flags2 = info.Flags2.Value,
          .priority = request.priority ? request.priority : info.AllocationPriority};
}

// The memory that a client brings is probed over its whole length, for writing, as MmProbeAndLockPages does it.
base::Result<> use_client_memory(Allocation& allocation, void* memory) {
  auto first = reinterpret_cast<uintptr_t>(memory);
  bool kernel = nt::PhysicalMemory::is_kernel(first) || nt::PhysicalMemory::is_kernel(first + allocation.size() - 1);
  if (kernel || !nt::careful_probe_write(memory, allocation.size()).ok()) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the memory that the client brings is not all there, or read-only");
  }
  allocation.backing.use_client_memory(memory);
  return {};
}

}  // namespace

Creation::Creation(Creation&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)),
      scope_(std::move(other.scope_)),
      standard_data_(std::move(other.standard_data_)),
      added_to_(other.added_to_),
      resource_(std::move(other.resource_)),
      allocations_(std::move(other.allocations_)),
      opening_(std::move(other.opening_)) {}

base::Result<Creation> Creation::begin(Device& device, CreateRequest& request) {
  Creation creation(device);
  TRY(creation.make_resource(request));
  TRY(creation.ask_standard_data(request));
  TRY(creation.create_at_driver(request));
  TRY(creation.open(request));
  creation.keep_data(request);
  return creation;
}

// Views are closed first, then the driver destroys the allocations; a new resource ends without a driver call of its
// own.
Creation::~Creation() {
  if (!device_) return;
  { Opening closed(std::move(opening_)); }
  if (!allocations_.empty()) {
    destroy_at_driver(device_->adapter(), &device_->process(), (*scope_)->scope(), allocations_, resource(),
                      resource_.has_value());
    for (const auto& allocation : allocations_) allocation->backing.drop();
  }
}

base::Result<> Creation::make_resource(CreateRequest& request) {
  Adapter& adapter = device_->adapter();
  added_to_ = request.add_to;
  if (!request.flags.CreateResource) return {};
  auto fresh = ob::UnpublishedObject<Resource>::adopt(
      new Resource(adapter, sharing_of(request.flags), device_->process().id(), device_->process().ordinals()));
  resource_ = fresh.ref();
  fresh->standard = request.existing_heap_bytes.has_value();
  if (fresh->sharing() == Resource::Sharing::GlobalHandle) {
    request.global_share = TRY(adapter.kernel().global_handles().share(fresh));
  }
  request.resource = TRY(opening_.add_resource(std::move(fresh)));
  return {};
}

// The driver's description of an allocation that no user-mode driver described (docs/decisions/objects.md). A client's
// own private data is taken (A4, observed) and not shown to the driver, which would not know it.
base::Result<> Creation::ask_standard_data(CreateRequest& request) {
  if (!request.existing_heap_bytes || request.flags.NoKmdAccess) return {};
  StandardData data = TRY(standard_data(device_->adapter(), *request.existing_heap_bytes));
  standard_data_ = std::move(data.allocation);
  request.allocations.front().private_data = standard_data_;
  return {};
}

base::Result<> Creation::create_at_driver(CreateRequest& request) {
  Adapter& adapter = device_->adapter();
  nt::Machine& machine = adapter.machine();
  if (request.flags.NoKmdAccess) {
    AllocationTraits traits{.size = base::round_up(*request.existing_heap_bytes, base::kPageBytes), .flags = 1};
    scope_ = base::make_ref<CreationScope>(adapter, device_->process().next_creation());
    allocations_.push_back(base::make_ref<Allocation>(*scope_, nullptr, traits, 0));
    return use_client_memory(*allocations_.back(), request.allocations.front().client_memory);
  }
  if (request.allocations.empty()) return {};
  boost::container::small_vector<DXGK_ALLOCATIONINFO, 4> infos;
  CallBuffers private_data(machine);
  for (AllocationRequest& one : request.allocations) {
    DXGK_ALLOCATIONINFO info{};
    info.PrivateDriverDataSize = static_cast<UINT>(one.private_data.size());
    info.pPrivateDriverData = private_data.add(one.private_data);
    infos.push_back(info);
  }
  ConstCallBuffer resource_data(machine, request.driver_data);
  Resource* group = resource();
  DXGKARG_CREATEALLOCATION args{};
  args.pPrivateDriverData = resource_data.data();
  args.PrivateDriverDataSize = static_cast<UINT>(request.driver_data.size());
  args.NumAllocations = static_cast<UINT>(infos.size());
  args.pAllocationInfo = infos.data();
  args.hResource = group ? group->driver_handle : nullptr;
  args.Flags.Resource = group != nullptr;
  scope_ = base::make_ref<CreationScope>(adapter, device_->process().next_creation());
  NTSTATUS status;
  {
    ThreadContext context(&device_->process());
    LateReleases::Elsewhere elsewhere(adapter.late_releases());
    status = adapter.miniport().call(Ddi::CreateAllocation, &DRIVER_INITIALIZATION_DATA::DxgkDdiCreateAllocation,
                                     &(*scope_)->scope(), adapter.context(), &args);
  }
  resource_data.check_unchanged("DxgkDdiCreateAllocation");
  if (status < 0) {
    machine.hand_over((*scope_)->scope(), adapter.scope());  // what is left of it is no allocation's
    adapter.standard_allocations().judge_refusal(adapter, request, status);
    return base::Failure(status, "the driver refused the allocation (DxgkDdiCreateAllocation)");
  }
  adapter.standard_allocations().judge_visibility(adapter, request, {infos.data(), infos.size()});
  private_data.copy_back();
  if (group) {
    group->driver_handle = args.hResource;
    group->driver_knows = true;
  }
  return take_allocations(request, {infos.data(), infos.size()});
}

// From here on the driver has objects that a failure must destroy: all are taken over first, then judged.
base::Result<> Creation::take_allocations(CreateRequest& request, std::span<const DXGK_ALLOCATIONINFO> infos) {
  allocations_.reserve(infos.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!infos[i].hAllocation) continue;  // judged below
    device_->adapter().late_releases().reused(infos[i].hAllocation);
    auto allocation = base::make_ref<Allocation>(*scope_, infos[i].hAllocation,
                                                 traits_of(device_->adapter().caps(), infos[i], request.allocations[i]),
                                                 static_cast<uint32_t>(i));
    allocation->set_priority(allocation->traits().priority);
    allocations_.push_back(std::move(allocation));
  }
  TRY(judge_allocation_infos(device_->adapter(), infos,
                             {.shared = request.flags.CreateShared != 0,
                              .cross_adapter = request.flags.CrossAdapter != 0,
                              .distrusted = device_->process().distrusted(),
                              .allocations = request.allocations}));
  for (size_t i = 0; i < allocations_.size(); ++i) {
    void* memory = request.allocations[i].client_memory;
    if (memory) TRY(use_client_memory(*allocations_[i], memory));
  }
  return {};
}

base::Result<> Creation::open(CreateRequest& request) {
  TRY(opening_.add_views(allocations_, added_to_));
  boost::container::small_vector<std::span<uint8_t>, 4> private_data;
  for (size_t i = 0; i < allocations_.size(); ++i) {
    request.allocations[i].handle = opening_.handle(i);
    private_data.push_back(request.allocations[i].private_data);
  }
  return opening_.open({private_data.data(), private_data.size()}, request.driver_data, true, false);
}

void Creation::keep_data(const CreateRequest& request) {
  Resource* group = resource();
  if (!group) return;
  if (group->shared()) {
    for (size_t i = 0; i < allocations_.size(); ++i) {
      auto bytes = request.allocations[i].private_data;
      allocations_[i]->private_data = std::make_unique<Bytes>(bytes.begin(), bytes.end());
    }
  }
  // A later call's data of the resource replaces the former (CB-09).
  group->runtime_data.assign(request.runtime_data.begin(), request.runtime_data.end());
  group->driver_data.assign(request.driver_data.begin(), request.driver_data.end());
}

void Creation::commit() {
  device_ = nullptr;
  if (Resource* group = resource()) {
    if (group->shared()) {
      group->allocations = allocations_;
      group->adapter().add_shared(*group);
    }
    group->created.store(true, std::memory_order_release);
  }
  opening_.commit();
}

}  // namespace dxgk
