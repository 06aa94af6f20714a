// Resources as the Direct3D 9 DDI creates, opens and destroys them.
#include <string.h>

#include "d3d9_entry.h"

namespace softgpu {
namespace {

constexpr uint32_t kMostSurfaces = 1024;

// CreateResource may say D3DERR_NOTAVAILABLE of vertex and index buffers only.
HRESULT refusal(Format format) { return format.use == FormatUse::Buffer ? D3DERR_NOTAVAILABLE : E_INVALIDARG; }

// Pictures of one layer that are drawn, sampled, copied or locked; no video, no overlay, nothing that is displayed.
bool can_be(D3DDDI_RESOURCEFLAGS flags, Format format) {
  if (flags.Volume || flags.CubeMap || flags.Primary || flags.Overlay || flags.CaptureBuffer) return false;
  if (flags.DecodeRenderTarget || flags.DecodeCompressedBuffer || flags.VideoProcessRenderTarget) return false;
  if (flags.VertexBuffer || flags.IndexBuffer) return format.use == FormatUse::Buffer;
  if (flags.ZBuffer) return format.use == FormatUse::Depth;
  if (flags.RenderTarget) return format.use == FormatUse::Target;
  if (flags.Texture) return format.use == FormatUse::Target || format.use == FormatUse::Texture;
  return format.use != FormatUse::None;
}

bool can_be(const D3DDDI_SURFACEINFO& surface, Format format, bool system) {
  if (system && !surface.pSysMem) return false;
  if (format.use == FormatUse::Buffer) return surface.Width != 0 && surface.Width <= SOFTGPU_OPERAND_MAX_BYTES;
  return surface.Width >= 1 && surface.Width <= SOFTGPU_SURFACE_MAX && surface.Height >= 1 &&
         surface.Height <= SOFTGPU_SURFACE_MAX && surface.Depth <= 1;
}

// Members that are reserved for this kind of resource are not looked at.
bool can_be(const D3DDDIARG_CREATERESOURCE& args, Format format) {
  if (!can_be(args.Flags, format) || args.SurfCount == 0 || args.SurfCount > kMostSurfaces) return false;
  if (args.Flags.RenderTarget && args.MultisampleType != D3DDDIMULTISAMPLE_NONE) return false;
  bool system = args.Pool == D3DDDIPOOL_SYSTEMMEM;
  if (system && args.Flags.SharedResource) return false;
  for (UINT i = 0; i < args.SurfCount; ++i) {
    if (!can_be(args.pSurfList[i], format, system)) return false;
  }
  return true;
}

// A vertex buffer that is drawn from while it is locked has to be where that works.
bool is_cached(const D3DDDIARG_CREATERESOURCE& args) {
  return args.Flags.Dynamic || args.Flags.CpuOptimized || args.Flags.MightDrawFromLocked ||
         args.Pool == D3DDDIPOOL_STAGINGMEM || args.Pool == D3DDDIPOOL_NONLOCALVIDMEM;
}

SurfaceShape shape_of(const D3DDDI_SURFACEINFO& surface, Format format, bool system) {
  SurfaceShape shape = {surface.Width, format.use == FormatUse::Buffer ? 1 : surface.Height, 0, nullptr};
  if (system) {
    shape.system = static_cast<uint8_t*>(const_cast<VOID*>(surface.pSysMem));
    if (format.use != FormatUse::Buffer) shape.pitch = surface.SysMemPitch;
  }
  return shape;
}

// --- Opening ---

bool is_ours(const D3DDDI_OPENALLOCATIONINFO& info) {
  if (!info.pPrivateDriverData || info.PrivateDriverDataSize != sizeof(SOFTGPU_ALLOCATION)) return false;
  const auto& data = *static_cast<const SOFTGPU_ALLOCATION*>(info.pPrivateDriverData);
  return data.magic == SOFTGPU_USER_MAGIC && data.version == SOFTGPU_USER_VERSION;
}

const SOFTGPU_ALLOCATION& data_of(const D3DDDI_OPENALLOCATIONINFO& info) {
  return *static_cast<const SOFTGPU_ALLOCATION*>(info.pPrivateDriverData);
}

void open_surface(Resource& resource, uint32_t index, const D3DDDI_OPENALLOCATIONINFO& info) {
  const SOFTGPU_ALLOCATION& data = data_of(info);
  bool buffer = data.width == 0;
  shape_surface(resource, index,
                {buffer ? static_cast<uint32_t>(data.bytes) : data.width, buffer ? 1 : data.height, 0, nullptr});
  Surface& surface = resource.surfaces[index];
  if (!buffer) surface.pitch = data.pitch;
  surface.own.handle = info.hAllocation;
  surface.own.bytes = data.bytes;
}

}  // namespace

// --- Creating ---

HRESULT APIENTRY create_resource(HANDLE hDevice, D3DDDIARG_CREATERESOURCE* pResource) {
  const D3DDDIARG_CREATERESOURCE& args = *pResource;
  Format format = find_format(args.Format);
  if (args.Flags.VertexBuffer || args.Flags.IndexBuffer) format.use = FormatUse::Buffer, format.pixel_bytes = 1;
  if (!can_be(args, format)) return refusal(format);
  ResourceShape shape = {};
  shape.runtime = args.hResource;
  shape.format = format;
  shape.shared = args.Flags.SharedResource;
  shape.cached = is_cached(args);
  shape.levels = args.Flags.Texture && args.MipLevels ? args.MipLevels : 1;
  shape.surface_count = args.SurfCount;
  Resource* resource = new_resource(shape);
  if (!resource) return E_OUTOFMEMORY;
  for (UINT i = 0; i < args.SurfCount; ++i) {
    shape_surface(*resource, i, shape_of(args.pSurfList[i], format, args.Pool == D3DDDIPOOL_SYSTEMMEM));
  }
  HRESULT result = device_of(hDevice).create(resource);
  if (SUCCEEDED(result)) pResource->hResource = resource;
  return result;
}

// What is new in the second version (encoders, memory of the application, other adapters) there is none of here.
HRESULT APIENTRY create_resource2(HANDLE hDevice, D3DDDIARG_CREATERESOURCE2* pResource2) {
  if (pResource2->Flags2.VideoEncoder || pResource2->Flags2.CrossAdapter) return E_INVALIDARG;
  D3DDDIARG_CREATERESOURCE args;
  static_assert(sizeof(args) <= sizeof(*pResource2), "the first version is the beginning of the second");
  memcpy(&args, pResource2, sizeof(args));
  HRESULT result = create_resource(hDevice, &args);
  if (SUCCEEDED(result)) pResource2->hResource = args.hResource;
  return result;
}

HRESULT APIENTRY open_resource(HANDLE hDevice, D3DDDIARG_OPENRESOURCE* pResource) {
  if (pResource->NumAllocations == 0 || pResource->NumAllocations > kMostSurfaces) return E_INVALIDARG;
  for (UINT i = 0; i < pResource->NumAllocations; ++i) {
    if (!is_ours(pResource->pOpenAllocationInfo[i])) return E_INVALIDARG;
  }
  const SOFTGPU_ALLOCATION& first = data_of(pResource->pOpenAllocationInfo[0]);
  ResourceShape shape = {};
  shape.runtime = pResource->hResource;
  shape.format = find_format(first.width ? first.format : D3DDDIFMT_VERTEXDATA);
  shape.shared = true;
  shape.levels = pResource->NumAllocations;
  shape.surface_count = pResource->NumAllocations;
  if (shape.format.use == FormatUse::None) return E_INVALIDARG;
  Resource* resource = new_resource(shape);
  if (!resource) return E_OUTOFMEMORY;
  for (UINT i = 0; i < shape.surface_count; ++i) open_surface(*resource, i, pResource->pOpenAllocationInfo[i]);
  resource->associated = resource->opened = true;
  device_of(hDevice).adopt(resource);
  pResource->hResource = resource;
  return S_OK;
}

// --- Ending ---

// Whatever still points to it is gone first. An error means that the resource lives on.
HRESULT APIENTRY destroy_resource(HANDLE hDevice, HANDLE hResource) {
  D3d9Device& device = device_of(hDevice);
  Resource* resource = resource_of(hResource);
  unbind(device.state, resource);
  return device.retire(resource);
}

// Others see what was drawn once it was submitted.
HRESULT APIENTRY resolve_shared_resource(HANDLE hDevice, const D3DDDIARG_RESOLVESHAREDRESOURCE*) {
  return device_of(hDevice).flush();
}

}  // namespace softgpu
