// Resources of a Direct3D 9 device: CreateResource, OpenResource, DestroyResource, Lock, Unlock.
#include <fmt/format.h>

#include "kmt/client/thunks.h"
#include "umd/common/hresult.h"
#include "umd/common/opened_resource.h"
#include "umd/common/resource_judgement.h"
#include "umd/d3d9/device9.h"

namespace umd {
namespace {

// Members that CreateResource's page calls reserved unless something else is set hold whatever the runtime left there;
// a driver must not read them. Here they hold values that are wrong to use.
constexpr UINT kRubbish = 0xA5A5A5A5;

D3DDDIARG_CREATERESOURCE2 arguments(const ResourceDesc& desc, HANDLE handle) {
  D3DDDIARG_CREATERESOURCE2 args{};
  args.Format = desc.format;
  args.Pool = desc.pool;
  args.pSurfList = desc.surfaces.data();
  args.SurfCount = static_cast<UINT>(desc.surfaces.size());
  args.hResource = handle;
  args.Flags = desc.flags;
  args.Rotation = D3DDDI_ROTATION_IDENTITY;
  bool levels_count = desc.flags.Texture || desc.flags.CubeMap || desc.flags.Volume;
  args.MipLevels = levels_count ? desc.levels : kRubbish;
  args.Fvf = desc.flags.VertexBuffer ? desc.fvf : kRubbish;
  if (!desc.flags.RenderTarget && !desc.flags.ZBuffer) args.MultisampleQuality = kRubbish;
  if (!desc.flags.Primary) {
    args.VidPnSourceId = kRubbish;
    args.RefreshRate = {kRubbish, kRubbish};
  }
  return args;
}

void without_rubbish(D3DDDIARG_CREATERESOURCE2& args) {
  auto clear = [](UINT& member) { member = member == kRubbish ? 0 : member; };
  clear(args.MipLevels);
  clear(args.Fvf);
  clear(args.MultisampleQuality);
  clear(args.VidPnSourceId);
  clear(args.RefreshRate.Numerator);
  clear(args.RefreshRate.Denominator);
}

// The first members of both are the same.
D3DDDIARG_CREATERESOURCE older(const D3DDDIARG_CREATERESOURCE2& args) {
  return {.Format = args.Format,
          .Pool = args.Pool,
          .MultisampleType = args.MultisampleType,
          .MultisampleQuality = args.MultisampleQuality,
          .pSurfList = args.pSurfList,
          .SurfCount = args.SurfCount,
          .MipLevels = args.MipLevels,
          .Fvf = args.Fvf,
          .VidPnSourceId = args.VidPnSourceId,
          .RefreshRate = args.RefreshRate,
          .hResource = args.hResource,
          .Flags = args.Flags,
          .Rotation = args.Rotation};
}

bool is_buffer(const ResourceDesc& desc) { return desc.flags.VertexBuffer || desc.flags.IndexBuffer; }

}  // namespace

HRESULT Device9::call_create(Frame& frame, D3DDDIARG_CREATERESOURCE2& args) {
  if (era() >= Era::Win8) return call(frame, functions_.pfnCreateResource2, driver_handle_, &args);
  D3DDDIARG_CREATERESOURCE old = older(args);
  HRESULT result = call(frame, functions_.pfnCreateResource, driver_handle_, &old);
  args.hResource = old.hResource;
  return result;
}

HRESULT Device9::create_resource(const ResourceDesc& desc, Resource** created) {
  Resource* resource;
  {
    RuntimeGuard guard(runtime.lock);
    resource = &add_resource();
  }
  resource->width = desc.surfaces.empty() ? 0 : desc.surfaces[0].Width;
  resource->height = desc.surfaces.empty() ? 0 : desc.surfaces[0].Height;
  resource->shared = desc.flags.SharedResource;
  resource->primary = desc.flags.Primary;
  resource->system_memory = desc.pool == D3DDDIPOOL_SYSTEMMEM;
  D3DDDIARG_CREATERESOURCE2 args = arguments(desc, resource->handle);
  Frame frame{.name = "CreateResource", .role = Role::Create, .resource = resource};
  HRESULT result = call_create(frame, args);
  if (FAILED(result) && frame.failed.empty() && result != D3DERR_NOTAVAILABLE && result != E_OUTOFMEMORY) {
    result = create_again(*resource, args, result);
  }
  if (result == D3DERR_NOTAVAILABLE && !is_buffer(desc) && frame.failed.empty()) {
    report_violation(nt::Violation::UmdNotAvailable,
                     "CreateResource returned D3DERR_NOTAVAILABLE for something that is no vertex or index buffer");
  }
  finish(frame, result);
  if (SUCCEEDED(result)) {
    resource->scanned_out = resource->primary;
    judge_created(*this, *resource, resource->shared ? desc.shape() : std::string());
  }
  result = settle_creation(*resource, result, args.hResource, nt::Violation::UmdSameHandle);
  *created = SUCCEEDED(result) ? resource : nullptr;
  return result;
}

// It was refused although no callback failed: perhaps because of members that the driver must not read.
HRESULT Device9::create_again(Resource& resource, D3DDDIARG_CREATERESOURCE2& args, HRESULT first) {
  without_rubbish(args);
  args.hResource = resource.handle;
  Frame frame{.name = "CreateResource", .role = Role::Create, .resource = &resource};
  HRESULT second = call_create(frame, args);
  if (SUCCEEDED(second)) {
    report_violation(nt::Violation::UmdReservedRead,
                     fmt::format("CreateResource returned {} with rubbish in its reserved members, and {} with zeros",
                                 name_of(first), name_of(second)));
  }
  return second;
}

// A resource that could not be created leaves nothing behind.
HRESULT Device9::settle_creation(Resource& resource, HRESULT result, HANDLE driver_handle, nt::Violation same_handle) {
  if (SUCCEEDED(result)) {
    resource.driver_handle = driver_handle;
    check_driver_handle(resource, same_handle);
    RuntimeGuard guard(runtime.lock);
    resource.state = ResourceState::Live;
    driver_handles_.insert(driver_handle);
    return result;
  }
  uint32_t left;
  {
    RuntimeGuard guard(runtime.lock);
    left = resource.opened ? 0 : resource.allocations;
  }
  if (left) {
    report_violation(nt::Violation::UmdAllocationLeft,
                     fmt::format("CreateResource returned {} and left {} allocations behind", name_of(result), left),
                     stacks_of(resource));
  }
  give_back(resource);
  RuntimeGuard guard(runtime.lock);
  remove_resource(resource);
  return result;
}

// Each live resource has its own handle of the driver.
void Device9::check_driver_handle(const Resource& resource, nt::Violation rule) {
  bool twice;
  {
    RuntimeGuard guard(runtime.lock);
    twice = driver_handles_.contains(resource.driver_handle);
  }
  if (!twice && resource.driver_handle) return;
  report_violation(rule,
                   resource.driver_handle ? "the driver gave two resources that live one handle"
                                          : "the driver gave a resource the handle NULL",
                   stacks_of(resource));
}

HRESULT Device9::open_resource(D3DKMT_HANDLE global_share, Resource** opened) {
  *opened = nullptr;
  auto shared = OpenedResource::open(client(), kernel(), global_share);
  if (!shared.ok()) return to_hresult(shared.status());
  OpenedResource kernel_side = shared.take();
  Resource* resource;
  {
    RuntimeGuard guard(runtime.lock);
    resource = &add_resource();
    resource->kernel = kernel_side.resource;
    resource->global_share = global_share;
    resource->shared = resource->opened = resource->associated = true;
    for (const D3DDDI_OPENALLOCATIONINFO& info : kernel_side.allocations) allocations().add(info.hAllocation, resource);
  }
  D3DDDIARG_OPENRESOURCE args{};
  args.NumAllocations = static_cast<UINT>(kernel_side.allocations.size());
  args.pOpenAllocationInfo = kernel_side.allocations.data();
  args.hKMResource = kernel_side.resource;
  args.pPrivateDriverData = kernel_side.private_data.data();
  args.PrivateDriverDataSize = static_cast<UINT>(kernel_side.private_data.size());
  args.hResource = resource->handle;
  args.Rotation = D3DDDI_ROTATION_IDENTITY;
  Frame frame{.name = "OpenResource", .resource = resource};
  HRESULT result = finish(frame, call(frame, functions_.pfnOpenResource, driver_handle_, &args));
  result = settle_creation(*resource, result, args.hResource, nt::Violation::UmdOpenedSameHandle);
  *opened = SUCCEEDED(result) ? resource : nullptr;
  return result;
}

// What an error of DestroyResource means to the runtime is not documented. Our policy: it is a finding, unless the
// device is removed; and the resource is gone for the program all the same, so that nothing is destroyed twice.
HRESULT Device9::destroy_resource(Resource* resource) {
  unbind(resource);
  Frame frame{.name = "DestroyResource", .resource = resource};
  HRESULT result = call(frame, functions_.pfnDestroyResource, driver_handle_, resource->driver_handle);
  if (FAILED(result) && result != D3DDDIERR_DEVICEREMOVED && frame.failed.empty()) {
    report_violation(nt::Violation::UmdDestroyFailed, fmt::format("DestroyResource returned {}", name_of(result)),
                     stacks_of(*resource));
  }
  RuntimeGuard guard(runtime.lock);
  driver_handles_.erase(resource->driver_handle);
  resource_destroyed(*resource);
  return result;
}

HRESULT Device9::lock(Resource* resource, UINT surface, D3DDDI_LOCKFLAGS flags, Mapped* mapped) {
  D3DDDIARG_LOCK args{};
  args.hResource = resource->driver_handle;
  args.SubResourceIndex = surface;
  args.Flags = flags;
  Frame frame{.name = "Lock", .may_wait = !flags.DoNotWait};
  HRESULT result = finish(frame, call(frame, functions_.pfnLock, driver_handle_, &args));
  judge_wait(frame);
  judge_lock(frame, *resource, surface, result);
  if (SUCCEEDED(result) && flags.Discard) memory_exchanged(*resource);
  *mapped = SUCCEEDED(result) ? Mapped{args.pSurfData, args.Pitch, args.SlicePitch} : Mapped{};
  return result;
}

// "Handling Multiple Locks": what is locked can be locked again. Of a resource with several surfaces the first one is
// looked at.
void Device9::judge_lock(const Frame& frame, Resource& resource, UINT surface, HRESULT result) {
  if (surface != 0) return;
  if (SUCCEEDED(result)) {
    ++resource.locks;
  } else if (resource.locks && result != D3DDDIERR_DEVICEREMOVED && frame.failed.empty() && !frame.found) {
    report_violation(
        nt::Violation::UmdLockAgainFailed,
        fmt::format("Lock returned {} for a resource that is locked {} times", name_of(result), resource.locks),
        stacks_of(resource));
  }
}

HRESULT Device9::unlock(Resource* resource, UINT surface) {
  D3DDDIARG_UNLOCK args{};
  args.hResource = resource->driver_handle;
  args.SubResourceIndex = surface;
  Frame frame{.name = "Unlock"};
  HRESULT result = finish(frame, call(frame, functions_.pfnUnlock, driver_handle_, &args));
  if (SUCCEEDED(result) && surface == 0 && resource->locks) --resource->locks;
  return result;
}

}  // namespace umd
