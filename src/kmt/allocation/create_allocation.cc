// D3DKMTCreateAllocation and D3DKMTCreateAllocation2, which differ in the structure that describes an allocation.
#include "base/align.h"
#include "dxgk/object/create.h"
#include "kmt/allocation/create_judge.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"

namespace kmt {
namespace {

// What the call tells the client in its own structure; the rest of that stays as the client has it.
struct Told {
  D3DKMT_HANDLE resource;
  D3DKMT_HANDLE global_share;
};
static_assert(offsetof(D3DKMT_CREATEALLOCATION, hGlobalShare) ==
              offsetof(D3DKMT_CREATEALLOCATION, hResource) + sizeof(D3DKMT_HANDLE));
static_assert(offsetof(D3DDDI_ALLOCATIONINFO, hAllocation) == 0 && offsetof(D3DDDI_ALLOCATIONINFO2, hAllocation) == 0);

uint32_t priority_of(const D3DDDI_ALLOCATIONINFO&) { return 0; }
uint32_t priority_of(const D3DDDI_ALLOCATIONINFO2& info) { return info.Flags.OverridePriority ? info.Priority : 0; }

D3DDDI_ALLOCATIONINFO* infos_of(const D3DKMT_CREATEALLOCATION& args, D3DDDI_ALLOCATIONINFO*) {
  return args.pAllocationInfo;
}
D3DDDI_ALLOCATIONINFO2* infos_of(const D3DKMT_CREATEALLOCATION& args, D3DDDI_ALLOCATIONINFO2*) {
  return args.pAllocationInfo2;
}

// One call, from its arguments to the kernel's request. Lives on the calling thread's stack.
template <typename Info>
class CreateCall {
 public:
  CreateCall(Client& client, D3DKMT_CREATEALLOCATION* user) : client_(client), user_(user) {}

  base::Result<> run() {
    args_ = TRY(client_.memory().read(user_));
    base::Ref<dxgk::Device> device = TRY(client_.find<dxgk::Device>(args_.hDevice));
    TRY(find_resource(*device));
    TRY(client_.accept(judge_create(args_, client_.policy())));
    TRY(copy_infos());
    TRY(copy_standard());
    TRY(copy_data());
    TRY(create(*device));
    if (args_.Flags.StandardAllocation && !(args_.Flags.CreateShared && args_.Flags.CrossAdapter)) {
      client_.remark(nt::Violation::CreateStandardPrivate, "a standard allocation is not shared across adapters");
    }
    return {};
  }

 private:
  // An existing resource that allocations are added to, named before anything else is judged (A8, A17, observed).
  base::Result<> find_resource(dxgk::Device& device) {
    if (!args_.hResource) return {};
    auto found = client_.process().handles().template get<dxgk::ResourceView>(args_.hResource);
    if (!found.ok()) {
      return client_.refuse(nt::Violation::CreateResourceGiven, STATUS_INVALID_HANDLE, ob::describe(found.error()));
    }
    base::Ref<dxgk::ResourceView> resource = found.take();
    if (args_.Flags.CreateResource) {
      return client_.refuse(nt::Violation::CreateResourceGiven, STATUS_INVALID_PARAMETER,
                            "a resource is to be created and one is given");
    }
    if (&resource->device() != &device) {
      return client_.refuse(nt::Violation::CreateOnWrongDevice, STATUS_INVALID_PARAMETER,
                            "the resource belongs to another device");
    }
    if (resource->resource().shared()) {
      return client_.refuse(nt::Violation::CreateAddsToShared, STATUS_INVALID_PARAMETER,
                            "a shared resource takes no further allocations");
    }
    if (resource->resource().standard) {
      return client_.refuse(nt::Violation::CreateStandardMany, STATUS_INVALID_PARAMETER,
                            "the resource of a standard allocation takes no further allocations");
    }
    return {};
  }

  base::Result<> copy_infos() {
    TRY(infos_.make(args_.NumAllocations));
    TRY(client_.memory().read(infos_.span(), user_infos()));
    size_t private_bytes = 0;
    for (const Info& info : infos_) private_bytes += info.PrivateDriverDataSize;
    TRY(private_data_.make(private_bytes));
    TRY(requests_.make(args_.NumAllocations));
    size_t at = 0;
    for (size_t i = 0; i < infos_.size(); ++i) {
      const Info& info = infos_[i];
      TRY(check_for_wsl(info));
      if (reinterpret_cast<uintptr_t>(info.pSystemMem) % base::kPageBytes) {
        return client_.refuse(nt::Violation::CreateMemoryUnaligned, STATUS_INVALID_PARAMETER,
                              "existing memory does not begin with a page");
      }
      std::span<uint8_t> room = private_data_.span().subspan(at, info.PrivateDriverDataSize);
      TRY(client_.memory().read(room, info.pPrivateDriverData));
      at += room.size();
      requests_[i] = dxgk::AllocationRequest{.private_data = room,
                                             .client_memory = const_cast<void*>(info.pSystemMem),
                                             .priority = priority_of(info),
                                             .primary = info.Flags.Primary != 0};
    }
    request_.allocations = requests_.span();
    return {};
  }

  base::Result<> check_for_wsl(const Info& info) {
    if (!client_.like_wsl()) return {};
    if (args_.Flags.StandardAllocation && info.PrivateDriverDataSize) {
      return base::Failure(STATUS_INVALID_PARAMETER, "private driver data with a standard allocation (WSL)");
    }
    if (!info.pSystemMem != !infos_[0].pSystemMem) {
      return base::Failure(STATUS_INVALID_PARAMETER, "some allocations bring their memory and some do not (WSL)");
    }
    return {};
  }

  base::Result<> copy_standard() {
    if (!args_.Flags.StandardAllocation) return {};
    D3DKMT_CREATESTANDARDALLOCATION standard = TRY(client_.memory().read(args_.pStandardAllocation));
    const void* memory = infos_[0].pSystemMem;
    TRY(client_.accept(judge_standard(standard, memory)));
    uint64_t bytes = standard.ExistingHeapData.Size;
    TRY(client_.memory().probe_write(const_cast<void*>(memory), bytes));
    requests_[0].client_bytes = bytes;
    request_.existing_heap_bytes = bytes;
    return {};
  }

  base::Result<> copy_data() {
    TRY(runtime_data_.make(args_.PrivateRuntimeDataSize));
    TRY(client_.memory().read(runtime_data_.span(), args_.pPrivateRuntimeData));
    request_.runtime_data = runtime_data_.span();
    if (args_.Flags.StandardAllocation) return {};  // the pointer is that of the description
    TRY(driver_data_.make(args_.PrivateDriverDataSize));
    TRY(client_.memory().read(driver_data_.span(), args_.pPrivateDriverData));
    request_.driver_data = driver_data_.span();
    return {};
  }

  base::Result<> create(dxgk::Device& device) {
    request_.flags = args_.Flags;
    dxgk::ParkingLock lock(device.mutex());
    TRY(device.usable());
    std::optional<base::Ref<dxgk::ResourceView>> resource;
    if (args_.hResource) {
      // Looked up again: since it was judged, another thread may have destroyed it.
      resource = TRY(client_.find<dxgk::ResourceView>(args_.hResource, STATUS_INVALID_HANDLE));
      request_.add_to = &**resource;
    }
    dxgk::Creation creation = TRY(dxgk::Creation::begin(device, request_));
    TRY(tell());
    creation.commit();
    return {};
  }

  base::Result<> tell() {
    UserMemory& memory = client_.memory();
    Info* infos = user_infos();
    TRY(memory.probe_write(infos, infos_.size()));
    TRY(memory.probe_write(user_));
    if (shows_private_data()) {
      for (const Info& info : infos_) TRY(memory.probe_write(info.pPrivateDriverData, info.PrivateDriverDataSize));
    }
    for (size_t i = 0; i < infos_.size(); ++i) {
      TRY(memory.write(UserMemory::address(infos + i, &Info::hAllocation), &requests_[i].handle,
                       sizeof(D3DKMT_HANDLE)));
      bool shown = shows_private_data() && infos_[i].PrivateDriverDataSize;
      if (shown) TRY(memory.write(infos_[i].pPrivateDriverData, private_data_of(i)));
    }
    Told told{args_.Flags.CreateResource ? request_.resource : args_.hResource, request_.global_share};
    return memory.write(UserMemory::address(user_, &D3DKMT_CREATEALLOCATION::hResource), &told, sizeof(told));
  }

  // What the driver made of the client's own bytes; never what the kernel showed it in their place, as it does for a
  // standard allocation.
  bool shows_private_data() const { return !args_.Flags.StandardAllocation; }
  std::span<const uint8_t> private_data_of(size_t i) { return requests_[i].private_data; }
  Info* user_infos() const { return infos_of(args_, static_cast<Info*>(nullptr)); }

  Client& client_;
  D3DKMT_CREATEALLOCATION* const user_;
  D3DKMT_CREATEALLOCATION args_;
  Scratch<Info, 4> infos_;
  Scratch<dxgk::AllocationRequest, 4> requests_;
  ByteScratch private_data_, runtime_data_, driver_data_;
  dxgk::CreateRequest request_;
};

}  // namespace

Answer serve::CreateAllocation(Client& client, D3DKMT_CREATEALLOCATION* user) {
  return CreateCall<D3DDDI_ALLOCATIONINFO>(client, user).run();
}

Answer serve::CreateAllocation2(Client& client, D3DKMT_CREATEALLOCATION* user) {
  return CreateCall<D3DDDI_ALLOCATIONINFO2>(client, user).run();
}

}  // namespace kmt
