// The CPU's access: dynamic resources are renamed or appended to, staging ones waited for.
#include "d3d10_entry.h"

namespace softgpu::d3d10 {
namespace {

Access access_of(D3D10_DDI_MAP map) {
  switch (map) {
    case D3D10_DDI_MAP_READ:
      return Access::Read;
    case D3D10_DDI_MAP_WRITE_DISCARD:
      return Access::Discard;
    case D3D10_DDI_MAP_WRITE_NOOVERWRITE:
      return Access::Append;
    default:
      return Access::Write;
  }
}

// Asked for without changing anything: the CPU may have it mapped already.
bool is_busy(D3d10Device& device, Resource& resource, Surface& surface) {
  if (surface.system || surface.locks) return false;
  if (device.context().uses(*surface.current)) return true;
  uint8_t* bytes = nullptr;
  HRESULT result = device.map(resource, surface, Access::Write, Wait::No, &bytes);
  if (SUCCEEDED(result)) insist([&] { return device.unmap(surface); });
  return result == D3DDDIERR_WASSTILLDRAWING;
}

}  // namespace

void APIENTRY map(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hResource, UINT Subresource, D3D10_DDI_MAP DDIMap,
                  UINT Flags, D3D10DDI_MAPPED_SUBRESOURCE* pMappedSubResource) {
  D3d10Device& device = device_of(hDevice);
  Place place = softgpu::place_of(resource_of(hResource), Subresource);
  Wait wait = (Flags & D3D10_DDI_MAP_FLAG_DONOTWAIT) ? Wait::No : Wait::Yes;
  uint8_t* bytes = nullptr;
  HRESULT result =
      place.surface ? device.map(*place.resource, *place.surface, access_of(DDIMap), wait, &bytes) : E_INVALIDARG;
  if (SUCCEEDED(result)) {
    pMappedSubResource->pData = bytes;
    pMappedSubResource->RowPitch = place.surface->pitch;
    pMappedSubResource->DepthPitch = static_cast<UINT>(place.surface->bytes());
  }
  device.finish(result, Legal::Busy);
}

void APIENTRY unmap(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hResource, UINT Subresource) {
  D3d10Device& device = device_of(hDevice);
  Place place = softgpu::place_of(resource_of(hResource), Subresource);
  device.finish(place.surface ? device.unmap(*place.surface) : E_INVALIDARG);
}

BOOL APIENTRY is_staging_busy(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hResource) {
  Resource& resource = *resource_of(hResource);
  for (uint32_t i = 0; i < resource.surface_count; ++i) {
    if (is_busy(device_of(hDevice), resource, resource.surfaces[i])) return TRUE;
  }
  return FALSE;
}

}  // namespace softgpu::d3d10
