// Resources of a Direct3D 10 or 11 device: creation, opening, destruction.
#include <fmt/format.h>

#include <algorithm>

#include "kmt/client/thunks.h"
#include "umd/common/hresult.h"
#include "umd/common/opened_resource.h"
#include "umd/common/resource_judgement.h"
#include "umd/d3d10/device10.h"

namespace umd {
namespace {

D3D11DDIARG_CREATERESOURCE arguments(const ResourceDesc10& desc, const std::vector<D3D10DDI_MIPINFO>& mips,
                                     DXGI_DDI_PRIMARY_DESC* primary) {
  D3D11DDIARG_CREATERESOURCE args{};
  args.pMipInfoList = mips.data();
  args.pInitialDataUP = desc.data.empty() ? nullptr : desc.data.data();
  args.ResourceDimension = desc.dimension;
  args.Usage = desc.usage;
  args.BindFlags = desc.bind;
  args.MapFlags = desc.map;
  args.MiscFlags = desc.misc;
  args.Format = desc.format;
  args.SampleDesc = desc.sample;
  args.MipLevels = desc.mips;
  args.ArraySize = desc.array;
  args.pPrimaryDesc = primary;
  args.ByteStride = desc.stride;
  return args;
}

D3D10DDIARG_CREATERESOURCE older(const D3D11DDIARG_CREATERESOURCE& args) {
  return {.pMipInfoList = args.pMipInfoList,
          .pInitialDataUP = args.pInitialDataUP,
          .ResourceDimension = args.ResourceDimension,
          .Usage = args.Usage,
          .BindFlags = args.BindFlags,
          .MapFlags = args.MapFlags,
          .MiscFlags = args.MiscFlags,
          .Format = args.Format,
          .SampleDesc = args.SampleDesc,
          .MipLevels = args.MipLevels,
          .ArraySize = args.ArraySize,
          .pPrimaryDesc = args.pPrimaryDesc};
}

// "Primary Exceptions" in "Changes from Direct3D 10": a primary that is not shared is created and destroyed on the
// immediate context, where its driver may submit.
Role role_in(const Resource& resource, Role otherwise) {
  return resource.primary && !resource.shared ? Role::Other : otherwise;
}

}  // namespace

// --- Creation ---

size_t Device10::private_bytes(const D3D11DDIARG_CREATERESOURCE& args) {
  if (is_d3d11()) return ask("CalcPrivateResourceSize", functions_.v11.pfnCalcPrivateResourceSize, &args);
  D3D10DDIARG_CREATERESOURCE old = older(args);
  return ask("CalcPrivateResourceSize", functions_.v10_0.pfnCalcPrivateResourceSize, &old);
}

Resource& Device10::begin_resource(const ResourceDesc10& desc, size_t bytes) {
  auto extra = std::make_unique<Resource10>();
  extra->desc = desc;
  extra->desc.data.clear();
  extra->memory = PrivateBlock(bytes, "a resource");
  RuntimeGuard guard(runtime.lock);
  Resource& resource = add_resource();
  resource.driver_handle = extra->memory.data();
  resource.width = desc.width;
  resource.height = desc.height;
  resource.shared = desc.misc & D3D10_DDI_RESOURCE_MISC_SHARED;
  resource.primary = desc.primary.has_value();
  resource.more = extra.release();
  return resource;
}

void Device10::call_create(Frame10& frame, const D3D11DDIARG_CREATERESOURCE& args, const Resource& resource) {
  D3D10DDI_HRTRESOURCE own{resource.handle};
  if (is_d3d11()) {
    call(frame, functions_.v11.pfnCreateResource, driver_handle(), &args, driver_handle(&resource), own);
    return;
  }
  D3D10DDIARG_CREATERESOURCE old = older(args);
  call(frame, functions_.v10_0.pfnCreateResource, driver_handle(), &old, driver_handle(&resource), own);
}

HRESULT Device10::create_resource(const ResourceDesc10& desc, Resource** created) {
  *created = nullptr;
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  std::vector<D3D10DDI_MIPINFO> mips = desc.mip_infos();
  std::optional<DXGI_DDI_PRIMARY_DESC> primary = desc.primary;
  D3D11DDIARG_CREATERESOURCE args = arguments(desc, mips, primary ? &*primary : nullptr);
  Resource& resource = begin_resource(desc, private_bytes(args));
  Frame10 frame("CreateResource", role_in(resource, Role::Create), Errors::Unsupported, nt::Violation::UmdCreateError);
  frame.resource = &resource;
  call_create(frame, args, resource);
  if (!frame.reported) {
    resource.scanned_out = primary && !(primary->DriverFlags & DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT);
    judge_created(*this, resource, std::string());
  }
  return resource_made(frame, resource, created);
}

HRESULT Device10::open_resource(D3DKMT_HANDLE global_share, Resource** opened, const ResourceDesc10& known) {
  *opened = nullptr;
  if (removed()) return D3DDDIERR_DEVICEREMOVED;
  auto shared = OpenedResource::open(client(), kernel(), global_share);
  if (!shared.ok()) return to_hresult(shared.status());
  OpenedResource kernel_side = shared.take();
  D3D10DDIARG_OPENRESOURCE args{};
  args.NumAllocations = static_cast<UINT>(kernel_side.allocations.size());
  args.pOpenAllocationInfo = kernel_side.allocations.data();
  args.hKMResource.handle = kernel_side.resource;
  args.pPrivateDriverData = kernel_side.private_data.data();
  args.PrivateDriverDataSize = static_cast<UINT>(kernel_side.private_data.size());
  size_t bytes = ask("CalcPrivateOpenedResourceSize", functions_.v11.pfnCalcPrivateOpenedResourceSize, &args);
  Resource& resource = begin_resource(known, bytes);
  {
    RuntimeGuard guard(runtime.lock);
    resource.kernel = kernel_side.resource;
    resource.global_share = global_share;
    resource.shared = resource.opened = resource.associated = true;
    for (const D3DDDI_OPENALLOCATIONINFO& info : kernel_side.allocations)
      allocations().add(info.hAllocation, &resource);
  }
  Frame10 frame("OpenResource", Role::Open, Errors::Memory, nt::Violation::UmdCreateError);
  frame.resource = &resource;
  call(frame, functions_.v11.pfnOpenResource, driver_handle(), &args, driver_handle(&resource),
       D3D10DDI_HRTRESOURCE{resource.handle});
  return resource_made(frame, resource, opened);
}

// The pages of CreateResource and OpenResource: after any error the handle is invalid, and is not destroyed.
HRESULT Device10::resource_made(const Frame10& frame, Resource& resource, Resource** made) {
  if (frame.reported) {
    drop_failed(frame, resource);
    return outcome(frame);
  }
  RuntimeGuard guard(runtime.lock);
  resource.state = ResourceState::Live;
  *made = &resource;
  return S_OK;
}

void Device10::drop_failed(const Frame10& frame, Resource& resource) {
  uint32_t left;
  {
    RuntimeGuard guard(runtime.lock);
    left = resource.opened ? 0 : resource.allocations;
  }
  if (left) {
    report_violation(
        nt::Violation::UmdAllocationLeft,
        fmt::format("{} reported {} and left {} allocations behind", frame.name, name_of(frame.error), left),
        stacks_of(resource));
  }
  give_back(resource);
  quarantine_memory(resource);
  RuntimeGuard guard(runtime.lock);
  remove_resource(resource);
}

void Device10::quarantine_memory(Resource& resource) {
  std::unique_ptr<Resource10> extra(more(&resource));
  std::vector<Trespass> found;
  base::StackId here = machine().here_id();
  {
    RuntimeGuard guard(runtime.lock);
    resource.more = nullptr;
    found = quarantine_.add(std::move(extra->memory), here);
  }
  judge_private_memory(found);
}

// --- Destruction ---

bool Device10::is_bound(const Resource& resource) {
  const Resource10& extra = *more(&resource);
  auto in_use = [](const Device10Object& view) { return view.bound || view.released; };
  return extra.bound != 0 || std::ranges::any_of(extra.views, in_use);
}

HRESULT Device10::destroy_resource(Resource* resource) {
  bool on_immediate_context = !free_threaded();
  {
    RuntimeGuard guard(runtime.lock);
    bool waits = is_bound(*resource) || more(resource)->desc.usage == D3D10_DDI_USAGE_STAGING;
    if (!on_immediate_context && waits) {
      released_resources_.push_back(resource);
      return S_OK;
    }
  }
  unbind_everywhere(*resource);
  if (is_staging_busy(*resource)) return S_OK;
  return destroy_unbound(*resource);
}

// Documented for pfnDisableDeferredStagingResourceDestruction: the runtime waits for a staging resource to be idle, so
// that its destruction does not block, unless the driver can do without.
bool Device10::is_staging_busy(Resource& resource) {
  bool waits;
  {
    RuntimeGuard guard(runtime.lock);
    waits = staging_waits_ && !removed_ && more(&resource)->desc.usage == D3D10_DDI_USAGE_STAGING;
  }
  if (!waits || !ask("ResourceIsStagingBusy", functions_.v11.pfnResourceIsStagingBusy, driver_handle(&resource))) {
    return false;
  }
  RuntimeGuard guard(runtime.lock);
  busy_staging_.push_back(&resource);
  return true;
}

void Device10::destroy_released() {
  std::vector<Device10Object*> children;
  std::vector<Resource*> resources;
  {
    RuntimeGuard guard(runtime.lock);
    children.swap(released_children_);
    resources.swap(released_resources_);
  }
  for (Device10Object* child : children) {
    unbind_everywhere(*child);
    destroy_unbound(*child);
  }
  for (Resource* resource : resources) {
    unbind_everywhere(*resource);
    if (!is_staging_busy(*resource)) destroy_unbound(*resource);
  }
}

void Device10::destroy_idle_staging() {
  std::vector<Resource*> waiting;
  {
    RuntimeGuard guard(runtime.lock);
    waiting.swap(busy_staging_);
  }
  for (Resource* resource : waiting) {
    if (!is_staging_busy(*resource)) destroy_unbound(*resource);
  }
}

HRESULT Device10::destroy_unbound(Resource& resource) {
  for (;;) {
    Device10Object* view;
    {
      RuntimeGuard guard(runtime.lock);
      Device10Objects& views = more(&resource)->views;
      view = views.empty() ? nullptr : &views.front();
    }
    if (!view) return call_destroy(resource);
    destroy_unbound(*view);
  }
}

HRESULT Device10::call_destroy(Resource& resource) {
  Frame10 frame("DestroyResource", role_in(resource, Role::Destroy), Errors::Removed, nt::Violation::UmdDestroyError);
  frame.resource = &resource;
  HRESULT result = told(frame, functions_.v11.pfnDestroyResource, driver_handle(&resource));
  bool left;
  {
    RuntimeGuard guard(runtime.lock);
    left = resource.allocations != 0;
    shared_destroyed_ |= resource.shared;
  }
  if (is_d3d11() && resource.primary && !resource.shared && left) {
    report_violation(nt::Violation::UmdPrimaryDeferred,
                     "DestroyResource returned, and a primary that is not shared was not deallocated",
                     stacks_of(resource));
  }
  quarantine_memory(resource);
  RuntimeGuard guard(runtime.lock);
  resource_destroyed(resource);
  return result;
}

}  // namespace umd
