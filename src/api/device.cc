#include <utility>

#include "api/client.h"
#include "drydock/client.h"

namespace drydock {
namespace {

struct Made {
  Status status;
  Handle resource;
  Handle global_share;
  std::vector<Handle> allocations;
};

Made create(internal::Client& client, Handle device, const AllocationOptions& options,
            D3DKMT_CREATEALLOCATIONFLAGS flags) {
  std::vector<uint8_t> described = options.private_data;
  if (described.empty()) described = client.standard_data(options.bytes);
  // Each has its own copy: the driver may write to it.
  std::vector<std::vector<uint8_t>> data(options.count, described);
  std::vector<D3DDDI_ALLOCATIONINFO2> infos(options.count);
  for (uint32_t i = 0; i < options.count; ++i) {
    infos[i].pPrivateDriverData = data[i].empty() ? nullptr : data[i].data();
    infos[i].PrivateDriverDataSize = static_cast<UINT>(data[i].size());
  }
  D3DKMT_CREATEALLOCATION args{};
  args.hDevice = device;
  args.NumAllocations = options.count;
  args.pAllocationInfo2 = infos.data();
  args.Flags = flags;
  Made made{client.call(kmt::Thunk::CreateAllocation2, &args), args.hResource, args.hGlobalShare, {}};
  if (made.status < 0) return made;
  for (const D3DDDI_ALLOCATIONINFO2& info : infos) made.allocations.push_back(info.hAllocation);
  return made;
}

Status destroy_list(internal::Client& client, Handle device, const std::vector<Handle>& handles, DestroyFlags flags) {
  D3DKMT_DESTROYALLOCATION2 args{};
  args.hDevice = device;
  args.phAllocationList = handles.empty() ? nullptr : handles.data();
  args.AllocationCount = static_cast<UINT>(handles.size());
  args.Flags.Value = flags;
  return client.call(kmt::Thunk::DestroyAllocation2, &args);
}

}  // namespace

// --- Allocation ---

Allocation::Allocation(std::shared_ptr<internal::Client> client, Handle device, Handle handle)
    : client_(std::move(client)), device_(device), handle_(handle) {}

Status Allocation::destroy(DestroyFlags flags) const { return destroy_list(*client_, device_, {handle_}, flags); }

// --- Resource ---

Resource::Resource(std::shared_ptr<internal::Client> client, Handle device)
    : client_(std::move(client)), device_(device) {}

Status Resource::destroy(DestroyFlags flags) const {
  D3DKMT_DESTROYALLOCATION2 args{};
  args.hDevice = device_;
  args.hResource = handle_;
  args.Flags.Value = flags;
  return client_->call(kmt::Thunk::DestroyAllocation2, &args);
}

// --- Device ---

Device::Device(std::shared_ptr<internal::Client> client) : client_(std::move(client)) {}

Process Device::process() const { return Process(client_); }

Resource Device::create_resource(std::uint32_t count) const {
  ResourceOptions options;
  options.count = count;
  return create_resource(options);
}

Resource Device::create_resource(const ResourceOptions& options) const {
  D3DKMT_CREATEALLOCATIONFLAGS flags{};
  flags.CreateResource = 1;
  flags.CreateShared = options.sharing != Sharing::Private;
  flags.NtSecuritySharing = options.sharing == Sharing::NtHandle;
  Made made = create(*client_, handle_, options, flags);
  Resource resource(client_, handle_);
  resource.status_ = made.status;
  if (made.status < 0) resource.why_ = client_->why();
  resource.handle_ = made.resource;
  resource.global_share_ = made.global_share;
  for (Handle handle : made.allocations) resource.allocations_.push_back(Allocation(client_, handle_, handle));
  return resource;
}

std::vector<Allocation> Device::create_allocations(const AllocationOptions& options) const {
  std::vector<Allocation> allocations;
  for (Handle handle : create(*client_, handle_, options, {}).allocations) {
    allocations.push_back(Allocation(client_, handle_, handle));
  }
  return allocations;
}

Status Device::destroy(const std::vector<Allocation>& allocations, DestroyFlags flags) const {
  std::vector<Handle> handles;
  for (const Allocation& allocation : allocations) handles.push_back(allocation.handle());
  return destroy_list(*client_, handle_, handles, flags);
}

Status Device::destroy() const {
  D3DKMT_DESTROYDEVICE args{};
  args.hDevice = handle_;
  return client_->call(kmt::Thunk::DestroyDevice, &args);
}

}  // namespace drydock
