// DXGI's functions: presenting, copies to what is presented, rotation, priorities and residency. What a callback
// answers is returned unchanged.
#include <string.h>

#include "blit.h"
#include "d3d10_entry.h"
#include "softgpu_draw_check.h"

namespace softgpu::d3d10 {
namespace {

D3d10Device& device_of(DXGI_DDI_HDEVICE number) {
  return d3d10::device_of(D3D10DDI_HDEVICE{reinterpret_cast<void*>(number)});
}

ResourceHandle* handle_of(DXGI_DDI_HRESOURCE number) { return reinterpret_cast<ResourceHandle*>(number); }

Place place_of(DXGI_DDI_HRESOURCE number, UINT index) {
  return softgpu::place_of(number ? handle_of(number)->resource : nullptr, index);
}

// The end of one of these functions.
HRESULT finish(D3d10Device& device, HRESULT result) {
  device.finish(S_OK);
  return result;
}

// --- Presenting ---

// A packet that does nothing but name both: they are resident when it runs, and in use until then. Where commands are
// patched both are the kernel's business.
HRESULT name_memory(D3d10Device& device, Allocation* source, Allocation* destination) {
  if (!device.virtual_addressing()) return S_OK;
  struct {
    SOFTGPU_HEADER header;
    uint64_t addresses[2];
  } packet = {};
  packet.header = softgpu_header(SOFTGPU_CMD_NOP, 0, sizeof(packet), 0);
  Operand operands[] = {{source, 0, 8, false}, {destination, 0, 16, true}};
  return device.add(packet.header, operands, 2);
}

// Everything that was drawn has to be on its way first, and what comes after has to wait for the present.
HRESULT present_to(D3d10Device& device, Allocation* source, Allocation* destination, void* dxgi_context) {
  HRESULT result = name_memory(device, source, destination);
  if (SUCCEEDED(result)) result = device.submit();
  if (FAILED(result)) return result;
  DXGIDDICB_PRESENT args = {};
  args.hSrcAllocation = source->handle;
  args.hDstAllocation = destination->handle;
  args.pDXGIContext = dxgi_context;
  args.hContext = device.context().handle();
  result = device.present(&args);
  return FAILED(result) ? result : name_memory(device, source, destination);
}

// Without a destination there is nothing for a driver without a display to present to.
HRESULT APIENTRY present(DXGI_DDI_ARG_PRESENT* pPresentData) {
  D3d10Device& device = device_of(pPresentData->hDevice);
  Place from = place_of(pPresentData->hSurfaceToPresent, pPresentData->SrcSubResourceIndex);
  if (!from.surface) return E_INVALIDARG;
  if (!pPresentData->hDstResource) return finish(device, device.submit());
  Place to = place_of(pPresentData->hDstResource, pPresentData->DstSubResourceIndex);
  if (!to.surface) return E_INVALIDARG;
  return finish(device, present_to(device, from.surface->current, to.surface->current, pPresentData->pDXGIContext));
}

// --- Copies ---

bool same_pixels(const Resource& a, const Resource& b) {
  return a.format.name == b.format.name ||
         (softgpu_is_stretch_format(a.format.name) && softgpu_is_stretch_format(b.format.name));
}

HRESULT copy_to(D3d10Device& device, const Place& from, const Place& to, const SOFTGPU_RECT& rect) {
  SOFTGPU_RECT all = whole(*from.surface);
  if (!contains(*to.surface, rect) || from.surface == to.surface) return E_INVALIDARG;
  if (!same_pixels(*from.resource, *to.resource)) return DXGI_DDI_ERR_UNSUPPORTED;
  if (rect.right - rect.left == all.right && rect.bottom - rect.top == all.bottom) {
    return copy(device, from, all, to, static_cast<uint32_t>(rect.left), static_cast<uint32_t>(rect.top));
  }
  if (!softgpu_is_stretch_format(to.resource->format.name)) return DXGI_DDI_ERR_UNSUPPORTED;
  return stretch(device, from, all, to, rect);
}

HRESULT APIENTRY blt(DXGI_DDI_ARG_BLT* pBltData) {
  D3d10Device& device = device_of(pBltData->hDevice);
  Place from = place_of(pBltData->hSrcResource, pBltData->SrcSubresource);
  Place to = place_of(pBltData->hDstResource, pBltData->DstSubresource);
  if (!from.surface || !to.surface) return E_INVALIDARG;
  if (pBltData->Rotate > DXGI_DDI_MODE_ROTATION_IDENTITY) return DXGI_DDI_ERR_UNSUPPORTED;
  SOFTGPU_RECT rect = {static_cast<int32_t>(pBltData->DstLeft), static_cast<int32_t>(pBltData->DstTop),
                       static_cast<int32_t>(pBltData->DstRight), static_cast<int32_t>(pBltData->DstBottom)};
  HRESULT result = copy_to(device, from, to, rect);
  device.finish_command(S_OK);
  return result;
}

// --- Identities, memory ---

// Each takes what its successor had, the last what the first had; the runtime's handles stay where they are. Views know
// the handle, and so go along.
HRESULT APIENTRY rotate_identities(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES* pRotateData) {
  UINT count = pRotateData->Resources;
  if (count == 0) return S_OK;
  Resource* first = handle_of(pRotateData->pResources[0])->resource;
  for (UINT i = 0; i < count; ++i) {
    ResourceHandle& handle = *handle_of(pRotateData->pResources[i]);
    handle.resource = i + 1 < count ? handle_of(pRotateData->pResources[i + 1])->resource : first;
    handle.resource->runtime = handle.runtime;
  }
  D3d10Device& device = device_of(pRotateData->hDevice);
  device.finish_command(S_OK);
  return S_OK;
}

HRESULT APIENTRY set_priority(DXGI_DDI_ARG_SETRESOURCEPRIORITY* pPriorityData) {
  const Kernel& kernel = device_of(pPriorityData->hDevice).kernel();
  const Resource& resource = *handle_of(pPriorityData->hResource)->resource;
  if (!resource.associated || !kernel.call.pfnSetPriorityCb) return S_OK;
  D3DDDICB_SETPRIORITY args = {};
  args.hResource = resource.runtime;
  args.pPriorities = &pPriorityData->Priority;
  return kernel.call.pfnSetPriorityCb(kernel.device, &args);
}

DXGI_DDI_RESIDENCY convert(D3DDDI_RESIDENCYSTATUS status) {
  switch (status) {
    case D3DDDI_RESIDENCYSTATUS_RESIDENTINGPUMEMORY:
      return DXGI_DDI_RESIDENCY_FULLY_RESIDENT;
    case D3DDDI_RESIDENCYSTATUS_RESIDENTINSHAREDMEMORY:
      return DXGI_DDI_RESIDENCY_RESIDENT_IN_SHARED_MEMORY;
    default:
      return DXGI_DDI_RESIDENCY_EVICTED_TO_DISK;
  }
}

HRESULT APIENTRY query_residency(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY* pResidencyData) {
  const Kernel& kernel = device_of(pResidencyData->hDevice).kernel();
  for (SIZE_T i = 0; i < pResidencyData->Resources; ++i) {
    const Resource& resource = *handle_of(pResidencyData->pResources[i])->resource;
    pResidencyData->pStatus[i] = DXGI_DDI_RESIDENCY_FULLY_RESIDENT;
    if (!resource.associated || !kernel.call.pfnQueryResidencyCb) continue;
    D3DDDI_RESIDENCYSTATUS status = D3DDDI_RESIDENCYSTATUS_NOTRESIDENT;
    D3DDDICB_QUERYRESIDENCY args = {};
    args.hResource = resource.runtime;
    args.pResidencyStatus = &status;
    HRESULT result = kernel.call.pfnQueryResidencyCb(kernel.device, &args);
    if (FAILED(result)) return result;
    pResidencyData->pStatus[i] = convert(status);
  }
  return S_OK;
}

// --- There is no display ---

HRESULT APIENTRY get_gamma_caps(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS* pGammaData) {
  memset(pGammaData->pGammaCapabilities, 0, sizeof(*pGammaData->pGammaCapabilities));
  return S_OK;
}

HRESULT APIENTRY set_display_mode(DXGI_DDI_ARG_SETDISPLAYMODE*) { return DXGI_DDI_ERR_UNSUPPORTED; }

// Others see what was drawn once it was submitted.
HRESULT APIENTRY resolve_shared(DXGI_DDI_ARG_RESOLVESHAREDRESOURCE* pResourceData) {
  D3d10Device& device = device_of(pResourceData->hDevice);
  return finish(device, device.submit());
}

}  // namespace

void fill_dxgi_functions(const D3D10DDIARG_CREATEDEVICE& args) {
  DXGI_DDI_BASE_FUNCTIONS& table = *args.DXGIBaseDDI.pDXGIDDIBaseFunctions;
  table.pfnPresent = present;
  table.pfnGetGammaCaps = get_gamma_caps;
  table.pfnSetDisplayMode = set_display_mode;
  table.pfnSetResourcePriority = set_priority;
  table.pfnQueryResourceResidency = query_residency;
  table.pfnRotateResourceIdentities = rotate_identities;
  table.pfnBlt = blt;
  if (IS_DXGI1_1_BASE_FUNCTIONS(args.Interface, args.Version)) {
    args.DXGIBaseDDI.pDXGIDDIBaseFunctions2->pfnResolveSharedResource = resolve_shared;
  }
}

}  // namespace softgpu::d3d10
