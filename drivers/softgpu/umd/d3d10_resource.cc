// CreateResource, OpenResource, DestroyResource. All of it may run on any thread beside the immediate context.
#include <stdlib.h>
#include <string.h>

#include "d3d10_entry.h"
#include "d3d10_format.h"

namespace softgpu::d3d10 {
namespace {

constexpr uint32_t kMostSurfaces = 1024;

template <typename Args>
bool is_bound_as(const Args& args, UINT flag) {
  return (args.BindFlags & flag) != 0;
}

template <typename Args>
Format format_of(const Args& args) {
  return args.ResourceDimension == D3D10DDIRESOURCE_BUFFER ? buffer_format() : find_format(args.Format);
}

// --- What softgpu has ---

template <typename Args>
bool can_be_bound(const Args& args, Format format) {
  constexpr UINT kNever = D3D10_DDI_BIND_STREAM_OUTPUT | D3D11_DDI_BIND_UNORDERED_ACCESS | D3D11_DDI_BIND_DECODER |
                          D3D11_DDI_BIND_VIDEO_ENCODER | D3D11_DDI_BIND_CAPTURE;
  if (is_bound_as(args, kNever)) return false;
  if (is_bound_as(args, D3D10_DDI_BIND_RENDER_TARGET) && format.use != FormatUse::Target) return false;
  if (is_bound_as(args, D3D10_DDI_BIND_DEPTH_STENCIL) && format.use != FormatUse::Depth) return false;
  return !is_bound_as(args, D3D10_DDI_BIND_SHADER_RESOURCE) || format.use != FormatUse::Depth;
}

template <typename Args>
bool can_be_seen_by_cpu(const Args& args) {
  bool seen = args.pInitialDataUP || args.Usage == D3D10_DDI_USAGE_STAGING || args.Usage == D3D10_DDI_USAGE_DYNAMIC;
  return !seen || is_as_it_says(args.Format);
}

template <typename Args>
bool can_be(const Args& args, Format format) {
  const D3D10DDI_MIPINFO& first = args.pMipInfoList[0];
  if (!can_be_bound(args, format) || !can_be_seen_by_cpu(args)) return false;
  if (args.ResourceDimension == D3D10DDIRESOURCE_BUFFER) {
    return first.TexelWidth != 0 && first.TexelWidth <= SOFTGPU_OPERAND_MAX_BYTES;
  }
  bool flat =
      args.ResourceDimension == D3D10DDIRESOURCE_TEXTURE1D || args.ResourceDimension == D3D10DDIRESOURCE_TEXTURE2D;
  if (!flat || format.use == FormatUse::None || args.SampleDesc.Count > 1) return false;
  if (args.MipLevels == 0 || args.ArraySize == 0 || args.MipLevels > kMostSurfaces) return false;
  return args.ArraySize <= kMostSurfaces / args.MipLevels && first.TexelWidth <= SOFTGPU_SURFACE_MAX &&
         first.TexelHeight <= SOFTGPU_SURFACE_MAX;
}

// --- Creating ---

template <typename Args>
Resource* shape(const Args& args, Format format, HANDLE runtime) {
  bool buffer = format.use == FormatUse::Buffer;
  ResourceShape of = {};
  of.runtime = runtime;
  of.format = format;
  of.shared = (args.MiscFlags & D3D10_DDI_RESOURCE_MISC_SHARED) != 0;
  of.cached = args.Usage == D3D10_DDI_USAGE_STAGING || args.Usage == D3D10_DDI_USAGE_DYNAMIC;
  of.levels = buffer ? 1 : args.MipLevels;
  of.surface_count = buffer ? 1 : args.MipLevels * args.ArraySize;
  Resource* resource = new_resource(of);
  if (!resource) return nullptr;
  for (uint32_t i = 0; i < of.surface_count; ++i) {
    const D3D10DDI_MIPINFO& mip = args.pMipInfoList[i % of.levels];
    shape_surface(*resource, i, {mip.TexelWidth, buffer ? 1 : mip.TexelHeight, 0, nullptr});
  }
  return resource;
}

HRESULT give_memory(D3d10Device& device, Resource& resource, bool constants) {
  if (!constants) return allocate_memory(device.kernel(), resource);
  Surface& surface = resource.surfaces[0];
  surface.system = static_cast<uint8_t*>(calloc(1, static_cast<size_t>(surface.bytes())));
  return surface.system ? S_OK : E_OUTOFMEMORY;
}

void copy_rows(const D3D10_DDIARG_SUBRESOURCE_UP& from, const Resource& resource, const Surface& surface, uint8_t* to) {
  size_t row = static_cast<size_t>(surface.width) * resource.format.pixel_bytes;
  const auto* source = static_cast<const uint8_t*>(from.pSysMem);
  for (uint32_t y = 0; y < surface.height; ++y) {
    memcpy(to + static_cast<size_t>(y) * surface.pitch, source + static_cast<size_t>(y) * from.SysMemPitch, row);
  }
}

// By the CPU: nothing is in use yet, and commands belong to another thread.
HRESULT fill(D3d10Device& device, Resource& resource, const D3D10_DDIARG_SUBRESOURCE_UP* data) {
  for (uint32_t i = 0; i < resource.surface_count; ++i) {
    Surface& surface = resource.surfaces[i];
    uint8_t* bytes = nullptr;
    HRESULT result = device.map(resource, surface, Access::Append, Wait::No, &bytes);
    if (FAILED(result)) return result;
    copy_rows(data[i], resource, surface, bytes);
    result = device.unmap(surface);
    if (FAILED(result)) return result;
  }
  return S_OK;
}

// Ends what no command has ever named: nothing else knows of it.
void undo(D3d10Device& device, Resource* resource) {
  if (is_constants(*resource)) free(resource->surfaces[0].system);
  for (uint32_t i = 0; i < resource->surface_count; ++i)
    insist([&] { return device.unmap_all(resource->surfaces[i]); });
  if (resource->associated) {
    insist([&] { return deallocate_resource(device.kernel(), resource->runtime, InUse::Not); });
  }
  abandon_resource(device, resource);
}

template <typename Args>
HRESULT make(D3d10Device& device, const Args& args, HANDLE runtime, Resource** made) {
  Format format = format_of(args);
  if (!can_be(args, format)) return DXGI_DDI_ERR_UNSUPPORTED;
  Resource* resource = shape(args, format, runtime);
  if (!resource) return E_OUTOFMEMORY;
  HRESULT result = give_memory(device, *resource, is_bound_as(args, D3D10_DDI_BIND_CONSTANT_BUFFER));
  if (SUCCEEDED(result) && args.pInitialDataUP) result = fill(device, *resource, args.pInitialDataUP);
  if (FAILED(result)) {
    undo(device, resource);
    return result;
  }
  *made = resource;
  return S_OK;
}

// --- Opening ---

const SOFTGPU_ALLOCATION* data_of(const D3DDDI_OPENALLOCATIONINFO& info) {
  const auto* data = static_cast<const SOFTGPU_ALLOCATION*>(info.pPrivateDriverData);
  if (!data || info.PrivateDriverDataSize != sizeof(*data)) return nullptr;
  return data->magic == SOFTGPU_USER_MAGIC && data->version == SOFTGPU_USER_VERSION ? data : nullptr;
}

void open_surface(Resource& resource, uint32_t index, D3DKMT_HANDLE handle, const SOFTGPU_ALLOCATION& data) {
  bool buffer = data.width == 0;
  uint32_t width = buffer ? static_cast<uint32_t>(data.bytes) : data.width;
  shape_surface(resource, index, {width, buffer ? 1 : data.height, 0, nullptr});
  Surface& surface = resource.surfaces[index];
  if (!buffer) surface.pitch = data.pitch;
  surface.own.handle = handle;
  surface.own.bytes = data.bytes;
}

// Levels get smaller; where one is as large as the first another slice begins.
uint32_t levels_of(const Resource& resource) {
  uint32_t level = 1;
  while (level < resource.surface_count && (resource.surfaces[level].width != resource.surfaces[0].width ||
                                            resource.surfaces[level].height != resource.surfaces[0].height)) {
    ++level;
  }
  return level;
}

// What another driver made cannot be opened; E_OUTOFMEMORY is the nearest error that the DDI allows here.
HRESULT open(const D3D10DDIARG_OPENRESOURCE& args, HANDLE runtime, Resource** opened) {
  if (args.NumAllocations == 0 || args.NumAllocations > kMostSurfaces) return E_OUTOFMEMORY;
  const SOFTGPU_ALLOCATION* first = data_of(args.pOpenAllocationInfo[0]);
  if (!first) return E_OUTOFMEMORY;
  ResourceShape of = {};
  of.runtime = runtime;
  of.format = first->width ? softgpu::find_format(first->format) : buffer_format();
  of.shared = true;
  of.surface_count = args.NumAllocations;
  Resource* resource = of.format.use == FormatUse::None ? nullptr : new_resource(of);
  if (!resource) return E_OUTOFMEMORY;
  for (UINT i = 0; i < args.NumAllocations; ++i) {
    const SOFTGPU_ALLOCATION* data = data_of(args.pOpenAllocationInfo[i]);
    if (!data) {
      free(resource);
      return E_OUTOFMEMORY;
    }
    open_surface(*resource, i, args.pOpenAllocationInfo[i].hAllocation, *data);
  }
  resource->levels = levels_of(*resource);
  resource->associated = resource->opened = true;
  *opened = resource;
  return S_OK;
}

// The memory of a primary that is not shared goes at once, after the commands that use it.
HRESULT end_primary(D3d10Device& device, Resource* resource) {
  HRESULT result = device.submit();
  HRESULT freed = free_resource(device, resource);
  if (FAILED(freed) && FAILED(free_resource(device, resource))) abandon_resource(device, resource);
  return first_failure(result, freed);
}

}  // namespace

// --- The runtime's calls ---

SIZE_T APIENTRY calc_opened_resource_size(D3D10DDI_HDEVICE, const D3D10DDIARG_OPENRESOURCE*) {
  return sizeof(ResourceHandle);
}

// Nothing here is scanned out; what would be is presented by copies.
template <typename Args>
void APIENTRY create_resource(D3D10DDI_HDEVICE hDevice, const Args* pCreateResource, D3D10DDI_HRESOURCE hResource,
                              D3D10DDI_HRTRESOURCE hRTResource) {
  D3d10Device& device = device_of(hDevice);
  Resource* resource = nullptr;
  HRESULT result = make(device, *pCreateResource, hRTResource.handle, &resource);
  if (FAILED(result)) {
    device.report(result, Legal::Resource);
    return;
  }
  DXGI_DDI_PRIMARY_DESC* primary = pCreateResource->pPrimaryDesc;
  if (primary) primary->DriverFlags |= DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT;
  place(hResource, ResourceHandle{resource, hRTResource.handle, primary && !resource->shared});
}

template void APIENTRY create_resource(D3D10DDI_HDEVICE, const D3D10DDIARG_CREATERESOURCE*, D3D10DDI_HRESOURCE,
                                       D3D10DDI_HRTRESOURCE);
template void APIENTRY create_resource(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATERESOURCE*, D3D10DDI_HRESOURCE,
                                       D3D10DDI_HRTRESOURCE);

void APIENTRY open_resource(D3D10DDI_HDEVICE hDevice, const D3D10DDIARG_OPENRESOURCE* pOpenResource,
                            D3D10DDI_HRESOURCE hResource, D3D10DDI_HRTRESOURCE hRTResource) {
  Resource* resource = nullptr;
  HRESULT result = open(*pOpenResource, hRTResource.handle, &resource);
  device_of(hDevice).report(result, Legal::Memory);
  if (SUCCEEDED(result)) place(hResource, ResourceHandle{resource, hRTResource.handle, false});
}

void APIENTRY destroy_resource(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hResource) {
  D3d10Device& device = device_of(hDevice);
  ResourceHandle handle = *handle_of(hResource);
  if (is_constants(*handle.resource)) {
    undo(device, handle.resource);
  } else if (handle.primary) {
    device.finish(end_primary(device, handle.resource));
  } else {
    device.bury(handle.resource);
  }
}

}  // namespace softgpu::d3d10
