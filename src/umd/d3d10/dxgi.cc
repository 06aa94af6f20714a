#include "umd/d3d10/dxgi.h"

#include "umd/common/presenting.h"
#include "umd/d3d10/device10.h"

namespace umd {
namespace {

// The private pointer of a Direct3D handle, as a number.
DXGI_DDI_HRESOURCE number_of(const Resource* resource) {
  return resource ? reinterpret_cast<DXGI_DDI_HRESOURCE>(resource->driver_handle) : 0;
}

DXGI_DDI_HDEVICE number_of(const Device10& device) {
  return reinterpret_cast<DXGI_DDI_HDEVICE>(device.driver_handle().pDrvPrivate);
}

RECT whole(const Resource* resource) {
  const ResourceDesc10& desc = more(resource)->desc;
  return {0, 0, static_cast<LONG>(desc.width), static_cast<LONG>(desc.height)};
}

void exchange(Allocations& allocations, Resource& one, Resource& other) {
  std::swap(one.kernel, other.kernel);
  std::swap(one.global_share, other.global_share);
  std::swap(one.associated, other.associated);
  std::swap(one.allocations, other.allocations);
  std::swap(one.first_allocation, other.first_allocation);
  std::swap(one.use, other.use);
  std::swap(one.unnamed, other.unnamed);
  for (Resource* each : {&one, &other}) {
    if (each->unnamed) each->unnamed->owner = each;
    Allocation* allocation = allocations.find(each->first_allocation);
    for (; allocation; allocation = allocations.find(allocation->next)) allocation->resource = each;
  }
}

}  // namespace

DXGI_DDI_BASE_ARGS Dxgi::arguments() {
  fill_dxgi_callbacks(callbacks_);
  DXGI_DDI_BASE_ARGS args{};
  args.pDXGIBaseCallbacks = &callbacks_;
  args.pDXGIDDIBaseFunctions4 = &functions_;  // which begins with all earlier ones
  return args;
}

HRESULT Dxgi::present(const DxgiPresent& what) {
  device_.judge_batch_end();
  presenting_ = reinterpret_cast<void*>(++presents_);
  DXGI_DDI_ARG_PRESENT args{};
  args.hDevice = number_of(device_);
  args.hSurfaceToPresent = number_of(what.source);
  args.SrcSubResourceIndex = what.source_subresource;
  args.hDstResource = number_of(what.destination);
  args.DstSubResourceIndex = what.destination_subresource;
  args.pDXGIContext = presenting_;
  args.Flags = what.flags;
  args.FlipInterval = what.interval;
  Frame10 frame(kPresentName, Role::Present, Errors::Removed);
  HRESULT result;
  {
    Presenting presenting(device_, whole(what.source), whole(what.destination ? what.destination : what.source));
    result = device_.dxgi_call(frame, functions_.pfnPresent, args);
  }
  presenting_ = nullptr;
  device_.after_batch_end();
  return result;
}

HRESULT Dxgi::blt(const DxgiBlt& what) {
  DXGI_DDI_ARG_BLT args{};
  args.hDevice = number_of(device_);
  args.hDstResource = number_of(what.destination);
  args.DstSubresource = what.destination_subresource;
  args.DstLeft = static_cast<UINT>(what.rect.left);
  args.DstTop = static_cast<UINT>(what.rect.top);
  args.DstRight = static_cast<UINT>(what.rect.right);
  args.DstBottom = static_cast<UINT>(what.rect.bottom);
  args.hSrcResource = number_of(what.source);
  args.SrcSubresource = what.source_subresource;
  args.Flags = what.flags;
  args.Rotate = what.rotation;
  Frame10 frame("BltDXGI", Role::Draw, Errors::Removed);
  HRESULT result = device_.dxgi_call(frame, functions_.pfnBlt, args);
  if (SUCCEEDED(result)) device_.use(frame, {what.destination, what.source});
  return result;
}

// The driver exchanges the kernel's handles among its resources and leaves the runtime's where they are; so from then
// on each resource has the kernel objects of its successor.
HRESULT Dxgi::rotate_resource_identities(std::span<Resource* const> resources) {
  std::vector<DXGI_DDI_HRESOURCE> handles;
  for (const Resource* each : resources) handles.push_back(number_of(each));
  DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES args{};
  args.hDevice = number_of(device_);
  args.pResources = handles.data();
  args.Resources = static_cast<UINT>(handles.size());
  Frame10 frame("RotateResourceIdentitiesDXGI", Role::Draw, Errors::Removed);
  HRESULT result = device_.dxgi_call(frame, functions_.pfnRotateResourceIdentities, args);
  if (FAILED(result) || resources.empty()) return result;
  RuntimeGuard guard(device_.runtime.lock);
  device_.forget_written();
  for (size_t i = 0; i + 1 < resources.size(); ++i) {
    exchange(device_.allocations(), *resources[i], *resources[i + 1]);
  }
  return result;
}

HRESULT Dxgi::set_resource_priority(Resource* resource, UINT priority) {
  DXGI_DDI_ARG_SETRESOURCEPRIORITY args{number_of(device_), number_of(resource), priority};
  Frame10 frame("SetResourcePriorityDXGI", Role::Other, Errors::Removed);
  return device_.dxgi_call(frame, functions_.pfnSetResourcePriority, args);
}

HRESULT Dxgi::query_resource_residency(std::span<Resource* const> resources, DXGI_DDI_RESIDENCY* status) {
  std::vector<DXGI_DDI_HRESOURCE> handles;
  for (const Resource* each : resources) handles.push_back(number_of(each));
  DXGI_DDI_ARG_QUERYRESOURCERESIDENCY args{number_of(device_), handles.data(), status, handles.size()};
  Frame10 frame("QueryResourceResidencyDXGI", Role::Other, Errors::Removed);
  return device_.dxgi_call(frame, functions_.pfnQueryResourceResidency, args);
}

HRESULT Dxgi::set_display_mode(Resource* resource, UINT subresource) {
  DXGI_DDI_ARG_SETDISPLAYMODE args{number_of(device_), number_of(resource), subresource};
  Frame10 frame("SetDisplayModeDXGI", Role::Other, Errors::Removed);
  return device_.dxgi_call(frame, functions_.pfnSetDisplayMode, args);
}

HRESULT Dxgi::get_gamma_caps(DXGI_GAMMA_CONTROL_CAPABILITIES* caps) {
  DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS args{number_of(device_), caps};
  Frame10 frame("GetGammaCapsDXGI", Role::Other, Errors::Removed);
  return device_.dxgi_call(frame, functions_.pfnGetGammaCaps, args);
}

}  // namespace umd
