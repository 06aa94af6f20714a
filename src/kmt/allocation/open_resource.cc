#include "kmt/allocation/open_resource.h"

namespace kmt {
namespace {

std::span<const uint8_t> data_of(const dxgk::Allocation& allocation) {
  if (!allocation.private_data) return {};
  return *allocation.private_data;
}

base::Result<UINT> fits(size_t bytes) {
  if (bytes > UINT32_MAX) return base::Failure(STATUS_INTEGER_OVERFLOW, "private data does not fit 32-bit sizes");
  return static_cast<UINT>(bytes);
}

size_t info_bytes(OpenTarget::Infos version) {
  return version == OpenTarget::Infos::First ? sizeof(D3DDDI_OPENALLOCATIONINFO) : sizeof(D3DDDI_OPENALLOCATIONINFO2);
}

}  // namespace

base::Result<ResourceSizes> sizes_of(const dxgk::Resource& resource) {
  size_t total = 0;
  for (const auto& allocation : resource.allocations) total += data_of(*allocation).size();
  ResourceSizes sizes;
  sizes.allocations = TRY(fits(resource.allocations.size()));
  sizes.runtime_bytes = TRY(fits(resource.runtime_data.size()));
  sizes.resource_bytes = TRY(fits(resource.driver_data.size()));
  sizes.total_bytes = TRY(fits(total));
  return sizes;
}

Judgement judge_open(const ResourceSizes& has, const ResourceSizes& room, dxgk::Flavour flavour) {
  using nt::Violation;
  auto suits = [&](UINT bytes, UINT needed) {
    return flavour == dxgk::Flavour::Wsl ? bytes >= needed : bytes == needed;
  };
  if (room.allocations != has.allocations) {
    return Refusal(Violation::OpenSizesDiffer, "NumAllocations is not the resource's");
  }
  if (!suits(room.runtime_bytes, has.runtime_bytes)) {
    return Refusal(Violation::OpenSizesDiffer, "PrivateRuntimeDataSize is not the resource's");
  }
  if (!suits(room.resource_bytes, has.resource_bytes)) {
    return Refusal(Violation::OpenSizesDiffer, "ResourcePrivateDriverDataSize is not the resource's");
  }
  if (room.total_bytes < has.total_bytes) {
    return Refusal(Violation::OpenSizesDiffer, "TotalPrivateDriverDataBufferSize is too small", STATUS_NO_MEMORY);
  }
  return std::nullopt;
}

base::Result<ResourceOpening> ResourceOpening::begin(Client& client, dxgk::Device& device,
                                                     ob::UnpublishedObject<dxgk::Resource> resource,
                                                     const OpenTarget& target, bool read_only) {
  ResourceOpening opening(device, resource.ref(), target);
  opening.sizes_ = TRY(sizes_of(*resource));
  TRY(client.accept(judge_open(opening.sizes_, target.room, client.policy().flavour)));
  dxgk::Resource& shared = *opening.shared_;
  opening.resource_handle_ = TRY(opening.opening_.add_resource(std::move(resource)));
  TRY(opening.opening_.add_views(shared.allocations, nullptr));
  std::vector<dxgk::Bytes> copies;  // of the creator's data: an opener's driver may read, not write
  std::vector<std::span<uint8_t>> private_data;
  copies.reserve(shared.allocations.size());
  for (const auto& allocation : shared.allocations) {
    auto bytes = data_of(*allocation);
    copies.emplace_back(bytes.begin(), bytes.end());
    private_data.push_back(copies.back());
  }
  TRY(opening.opening_.open(private_data, shared.driver_data, false, read_only));
  return opening;
}

base::Result<> ResourceOpening::probe(UserMemory& memory) const {
  TRY(memory.probe_write(target_.infos, sizes_.allocations * info_bytes(target_.version)));
  TRY(memory.probe_write(target_.runtime_data, sizes_.runtime_bytes));
  TRY(memory.probe_write(target_.resource_data, sizes_.resource_bytes));
  return memory.probe_write(target_.total_data, sizes_.total_bytes);
}

base::Result<> ResourceOpening::tell(UserMemory& memory) const {
  TRY(memory.write(target_.runtime_data, std::span<const uint8_t>(shared_->runtime_data)));
  TRY(memory.write(target_.resource_data, std::span<const uint8_t>(shared_->driver_data)));
  auto* to = static_cast<uint8_t*>(target_.total_data);
  for (const auto& allocation : shared_->allocations) {
    auto bytes = data_of(*allocation);
    TRY(memory.write(to, bytes));
    to += bytes.size();
  }
  return target_.version == OpenTarget::Infos::First ? tell_infos<D3DDDI_OPENALLOCATIONINFO>(memory)
                                                     : tell_infos<D3DDDI_OPENALLOCATIONINFO2>(memory);
}

// Each allocation's data lies in the room for all of them, and its pointer is set to it (observed).
template <typename Info>
base::Result<> ResourceOpening::tell_infos(UserMemory& memory) const {
  auto* infos = static_cast<Info*>(target_.infos);
  auto* data = static_cast<uint8_t*>(target_.total_data);
  for (size_t i = 0; i < shared_->allocations.size(); ++i) {
    size_t bytes = data_of(*shared_->allocations[i]).size();
    Info info{};
    info.hAllocation = opening_.handle(i);
    info.pPrivateDriverData = bytes ? data : nullptr;
    info.PrivateDriverDataSize = static_cast<UINT>(bytes);
    TRY(memory.write(infos + i, info));
    data += bytes;
  }
  return {};
}

}  // namespace kmt
