// pfnAllocateCb, pfnDeallocateCb, pfnDeallocate2Cb: the kernel's memory for the runtime's resources.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kmt/client/thunks.h"
#include "umd/callbacks/callback_judgement.h"
#include "umd/common/resource_judgement.h"

namespace umd {
namespace {

// --- What a driver names ---

struct Named {
  Resource* resource = nullptr;
  HRESULT refusal = S_OK;
};

// The resource that a callback names by the runtime's handle. NULL names none.
Named find_resource(Device& device, HANDLE handle, const char* callback) {
  if (!handle) return {};
  Handles::Found found;
  bool drivers_own = false;
  {
    RuntimeGuard guard(device.runtime.lock);
    found = device.runtime.handles.find(handle);
    for (Resource* each = device.first_resource(); each && found.kind == HandleKind::None && !drivers_own;) {
      drivers_own = each->driver_handle == handle;
      each = each->next;
    }
  }
  if (found.kind == HandleKind::Resource && found.live) return {static_cast<Resource*>(found.object), S_OK};
  if (found.kind == HandleKind::Resource) {
    device.report_violation(nt::Violation::UmdDeallocatedTwice,
                            fmt::format("{} was called with the handle of a resource that is no more", callback));
  } else {
    device.report_violation(nt::Violation::UmdWrongHandle,
                            fmt::format("{} was called with {}", callback,
                                        drivers_own ? "the driver's own handle of a resource instead of the runtime's"
                                                    : to_string(found.kind)));
  }
  return {nullptr, E_INVALIDARG};
}

// --- Allocation ---

// Documented in D3DDDI_ALLOCATIONINFO: a video present source and Stereo are a primary's.
bool judge_primaries(Device& device, std::span<const D3DDDI_ALLOCATIONINFO> infos) {
  for (const D3DDDI_ALLOCATIONINFO& info : infos) {
    bool names_source = info.VidPnSourceId != 0 && info.VidPnSourceId != D3DDDI_ID_NOTAPPLICABLE &&
                        info.VidPnSourceId != D3DDDI_ID_UNINITIALIZED;
    if (!info.Flags.Primary && names_source) {
      device.report_violation(
          nt::Violation::UmdVidPnSource,
          fmt::format("pfnAllocateCb names video present source {} for an allocation that is no primary",
                      info.VidPnSourceId));
      return false;
    }
    if (!info.Flags.Primary && info.Flags.Stereo) {
      device.report_violation(nt::Violation::UmdStereoAlone,
                              "pfnAllocateCb asks for a stereo allocation that is no primary");
      return false;
    }
  }
  return true;
}

D3DKMT_CREATEALLOCATION creation(Device& device, const Resource* resource, const D3DDDICB_ALLOCATE& args,
                                 std::span<const D3DDDI_ALLOCATIONINFO> infos) {
  D3DKMT_CREATEALLOCATION create{};
  create.hDevice = device.kernel();
  create.pPrivateDriverData = args.pPrivateDriverData;
  create.PrivateDriverDataSize = args.PrivateDriverDataSize;
  create.NumAllocations = args.NumAllocations;
  create.pAllocationInfo = args.pAllocationInfo;
  if (resource) {
    create.hResource = resource->kernel;
    create.Flags.CreateResource = resource->kernel == 0;
    create.Flags.CreateShared = resource->shared;
  }
  for (const D3DDDI_ALLOCATIONINFO& info : infos) create.Flags.ExistingSysMem |= info.pSystemMem != nullptr;
  return create;
}

// That the driver is asked to create right now.
Resource* being_created(Device& device) {
  Frame* frame = device.frame();
  Resource* resource = frame ? frame->resource : nullptr;
  return resource && resource->state == ResourceState::Creating && !resource->opened ? resource : nullptr;
}

void remember(Device& device, Resource* resource, const D3DKMT_CREATEALLOCATION& made) {
  if (resource && !resource->associated) resource->allocated_at = device.machine().here_id();
  Resource* holder = resource ? nullptr : being_created(device);
  base::StackId here = holder ? device.machine().here_id() : 0;
  RuntimeGuard guard(device.runtime.lock);
  for (UINT i = 0; i < made.NumAllocations; ++i) {
    const D3DDDI_ALLOCATIONINFO& info = made.pAllocationInfo[i];
    Allocation& allocation = device.allocations().add(info.hAllocation, resource);
    allocation.primary = info.Flags.Primary;
    // What lies in memory of the process is a source to copy from.
    if (holder && !info.pSystemMem) device.allocations().add_unnamed(allocation, *holder, here);
  }
  if (!resource) return;
  resource->kernel = made.hResource;
  resource->global_share = made.hGlobalShare;
  resource->associated = true;
}

HRESULT allocate(Device& device, D3DDDICB_ALLOCATE& args) {
  Named named = find_resource(device, args.hResource, "pfnAllocateCb");
  if (FAILED(named.refusal)) return named.refusal;
  kmt::Scratch<D3DDDI_ALLOCATIONINFO, 8> infos;
  HRESULT read = read_list(device, args.pAllocationInfo, args.NumAllocations, infos);
  if (FAILED(read)) return read;
  if (!judge_primaries(device, infos.span())) return E_INVALIDARG;
  if (named.resource && !judge_shared_allocation(device, *named.resource)) return E_INVALIDARG;
  judge_private_data(device, args, infos.span());
  D3DKMT_CREATEALLOCATION create = creation(device, named.resource, args, infos.span());
  NTSTATUS status = kmt::CreateAllocation(device.client(), &create);
  if (!NT_SUCCESS(status)) return to_hresult(status);
  remember(device, named.resource, create);
  args.hKMResource = named.resource ? create.hResource : 0;
  return S_OK;
}

// --- Deallocation ---

// DestroyResource's page: first the batched commands that depend on the resource, then its allocations.
void judge_flush(Device& device, const Resource& resource, const char* callback) {
  bool pending;
  {
    RuntimeGuard guard(device.runtime.lock);
    pending = device.has_pending_commands(resource);
  }
  if (!pending) return;
  device.report_violation(
      nt::Violation::UmdFlushMissing,
      fmt::format("{} releases a resource, and commands that use it have not been submitted", callback),
      device.stacks_of(resource));
}

// Memory in no resource's name that a list takes all of, each once.
std::vector<std::shared_ptr<UnnamedMemory>> unnamed_ending(Device& device, std::span<const D3DKMT_HANDLE> list) {
  std::vector<std::pair<std::shared_ptr<UnnamedMemory>, uint32_t>> taken;
  RuntimeGuard guard(device.runtime.lock);
  for (D3DKMT_HANDLE handle : list) {
    const std::shared_ptr<UnnamedMemory>& unnamed = device.allocations().find(handle)->unnamed;
    if (!unnamed) continue;
    auto known = std::ranges::find(taken, unnamed, [](const auto& each) { return each.first; });
    if (known == taken.end()) known = taken.insert(known, {unnamed, 0});
    ++known->second;
  }
  std::vector<std::shared_ptr<UnnamedMemory>> ending;
  for (auto& [unnamed, count] : taken) {
    if (count == unnamed->live) ending.push_back(unnamed);
  }
  return ending;
}

// The same where the memory is in no resource's name: the driver made it while it created a resource that has no other,
// and that one is destroyed, or is being destroyed. A part of the memory is not judged, nor that of a live resource:
// the driver may have put other memory in its place.
void judge_unnamed_flush(Device& device, std::span<const D3DKMT_HANDLE> list, const char* callback) {
  const Frame* frame = device.frame();
  const Resource* called_for = frame ? frame->resource : nullptr;
  for (const auto& unnamed : unnamed_ending(device, list)) {
    bool pending;
    {
      RuntimeGuard guard(device.runtime.lock);
      const Resource* owner = unnamed->owner;
      bool ends = !owner || (owner == called_for && owner->state == ResourceState::Live && !owner->associated);
      pending = unnamed->followed && ends && device.has_pending_commands(owner ? owner->use : unnamed->use);
    }
    if (!pending) continue;
    device.report_violation(
        nt::Violation::UmdFlushMissing,
        fmt::format("{} releases the memory of a resource, which was allocated without hResource while the resource "
                    "was created, and commands that use the resource have not been submitted",
                    callback),
        device.stacks_of(unnamed->allocated_at));
  }
}

// Others may have opened it, and it gets no memory again: only the call that creates it allocates (SH-11, UR-23).
bool judge_shared_alive(Device& device, const Resource& resource, const char* callback) {
  if (!resource.shared || resource.opened || resource.state != ResourceState::Live) return true;
  // The only call about a live resource itself is the one that destroys it.
  const Frame* frame = device.frame();
  if (frame && (frame->role == Role::DestroyDevice || frame->resource == &resource)) return true;
  device.report_violation(
      nt::Violation::UmdSharedWithoutMemory,
      fmt::format("{} releases the memory of a shared resource that has not been destroyed", callback),
      device.stacks_of(resource));
  return false;
}

HRESULT destroy(Device& device, D3DKMT_HANDLE resource, std::span<const D3DKMT_HANDLE> list,
                D3DDDICB_DESTROYALLOCATION2FLAGS flags) {
  D3DKMT_DESTROYALLOCATION2 args{};
  args.hDevice = device.kernel();
  args.hResource = resource;
  args.phAllocationList = list.empty() ? nullptr : list.data();
  args.AllocationCount = static_cast<UINT>(list.size());
  args.Flags = flags;
  return to_hresult(kmt::DestroyAllocation2(device.client(), &args));
}

// The list that comes with a resource is ignored, as D3DDDICB_DEALLOCATE says; the kernel wants it to be absent.
HRESULT deallocate_resource(Device& device, Resource& resource, D3DDDICB_DESTROYALLOCATION2FLAGS flags,
                            const char* callback) {
  if (resource.kernel == 0) return E_INVALIDARG;
  judge_flush(device, resource, callback);
  HRESULT result = destroy(device, resource.kernel, {}, flags);
  if (FAILED(result)) return result;
  if (resource.state == ResourceState::Zombie) note_release(device);
  RuntimeGuard guard(device.runtime.lock);
  device.allocations().remove_all(resource);
  resource.kernel = 0;
  resource.released_by_list = 0;
  if (resource.state == ResourceState::Zombie) device.remove_resource(resource);
  return S_OK;
}

// Every handle of a list is a live allocation of the device.
bool judge_list(Device& device, std::span<const D3DKMT_HANDLE> list, const char* callback) {
  for (size_t i = 0; i < list.size(); ++i) {
    bool live, dead;
    {
      RuntimeGuard guard(device.runtime.lock);
      live = device.allocations().find(list[i]) != nullptr;
      dead = device.allocations().dead(list[i]);
    }
    if (live) continue;
    device.report_violation(dead ? nt::Violation::UmdDeallocatedTwice : nt::Violation::UmdWrongHandle,
                            fmt::format("{} names allocation 0x{:X} (entry {}), which {}", callback, list[i], i,
                                        dead ? "was deallocated before" : "is none of the device's"));
    return false;
  }
  return true;
}

// Resources that the list takes allocations from, each once.
std::vector<Resource*> touched(Device& device, std::span<const D3DKMT_HANDLE> list) {
  std::vector<Resource*> resources;
  RuntimeGuard guard(device.runtime.lock);
  for (D3DKMT_HANDLE handle : list) {
    Resource* resource = device.allocations().find(handle)->resource;
    if (resource && std::find(resources.begin(), resources.end(), resource) == resources.end()) {
      resources.push_back(resource);
    }
  }
  return resources;
}

HRESULT deallocate_list(Device& device, std::span<const D3DKMT_HANDLE> list, D3DDDICB_DESTROYALLOCATION2FLAGS flags,
                        const char* callback) {
  if (list.empty() || !judge_list(device, list, callback)) return E_INVALIDARG;
  std::vector<Resource*> resources = touched(device, list);
  judge_unnamed_flush(device, list, callback);
  for (Resource* resource : resources) {
    if (!judge_shared_alive(device, *resource, callback)) return E_INVALIDARG;
    judge_flush(device, *resource, callback);
    if (resource->state == ResourceState::Zombie) note_release(device);
  }
  HRESULT result = destroy(device, 0, list, flags);
  if (FAILED(result)) return result;
  RuntimeGuard guard(device.runtime.lock);
  for (D3DKMT_HANDLE handle : list) device.allocations().remove(*device.allocations().find(handle));
  for (Resource* resource : resources) ++resource->released_by_list;
  return S_OK;
}

HRESULT release(Device& device, HANDLE handle, UINT count, const D3DKMT_HANDLE* list,
                D3DDDICB_DESTROYALLOCATION2FLAGS flags, const char* callback) {
  Named named = find_resource(device, handle, callback);
  if (FAILED(named.refusal)) return named.refusal;
  if (named.resource) {
    if (!judge_shared_deallocation(device, *named.resource, count, callback)) return E_INVALIDARG;
    if (!judge_shared_alive(device, *named.resource, callback)) return E_INVALIDARG;
    return deallocate_resource(device, *named.resource, flags, callback);
  }
  kmt::Scratch<D3DKMT_HANDLE, 64> handles;
  HRESULT read = read_list(device, list, count, handles);
  return FAILED(read) ? read : deallocate_list(device, handles.span(), flags, callback);
}

HRESULT deallocate(Device& device, const D3DDDICB_DEALLOCATE& args) {
  return release(device, args.hResource, args.NumAllocations, args.HandleList, {}, "pfnDeallocateCb");
}

HRESULT deallocate2(Device& device, const D3DDDICB_DEALLOCATE2& args) {
  return release(device, args.hResource, args.NumAllocations, args.HandleList, args.Flags, "pfnDeallocate2Cb");
}

}  // namespace

void fill_memory_callbacks(D3DDDI_DEVICECALLBACKS& table) {
  fill<Callback::Allocate, allocate>(table.pfnAllocateCb);
  fill<Callback::Deallocate, deallocate>(table.pfnDeallocateCb);
  fill<Callback::Deallocate2, deallocate2>(table.pfnDeallocate2Cb);
}

}  // namespace umd
