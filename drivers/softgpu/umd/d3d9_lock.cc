// Lock and Unlock.
#include "d3d9_entry.h"

namespace softgpu {
namespace {

Access access_of(D3DDDI_LOCKFLAGS flags) {
  if (flags.Discard) return Access::Discard;
  if (flags.NoOverwrite) return Access::Append;
  return flags.ReadOnly ? Access::Read : Access::Write;
}

// Where the locked part begins; false if it leaves the surface.
bool offset_of(const D3DDDIARG_LOCK& args, const Resource& resource, const Surface& surface, uint64_t* offset) {
  uint32_t x = 0;
  uint32_t y = 0;
  if (args.Flags.RangeValid) {
    if (args.Range.Offset > surface.bytes() || args.Range.Size > surface.bytes() - args.Range.Offset) return false;
    *offset = args.Range.Offset;
    return true;
  }
  if (args.Flags.AreaValid) {
    const RECT& area = args.Area;
    if (area.left < 0 || area.top < 0 || area.left > area.right || area.top > area.bottom) return false;
    if (static_cast<uint32_t>(area.right) > surface.width || static_cast<uint32_t>(area.bottom) > surface.height) {
      return false;
    }
    x = static_cast<uint32_t>(area.left);
    y = static_cast<uint32_t>(area.top);
  } else if (args.Flags.BoxValid) {
    return false;
  }
  *offset = static_cast<uint64_t>(y) * surface.pitch + static_cast<uint64_t>(x) * resource.format.pixel_bytes;
  return true;
}

}  // namespace

HRESULT APIENTRY lock(HANDLE hDevice, D3DDDIARG_LOCK* pData) {
  Resource* resource = resource_of(pData->hResource);
  Surface* surface = resource ? resource->surface(pData->SubResourceIndex) : nullptr;
  uint64_t offset = 0;
  if (!surface || !offset_of(*pData, *resource, *surface, &offset)) return E_INVALIDARG;
  Wait wait = pData->Flags.DoNotWait ? Wait::No : Wait::Yes;
  uint8_t* bytes = nullptr;
  HRESULT result = device_of(hDevice).map(*resource, *surface, access_of(pData->Flags), wait, &bytes);
  if (FAILED(result)) return result;
  pData->pSurfData = bytes + offset;
  pData->Pitch = surface->pitch;
  pData->SlicePitch = static_cast<UINT>(surface->bytes());
  return S_OK;
}

HRESULT APIENTRY unlock(HANDLE hDevice, const D3DDDIARG_UNLOCK* pData) {
  Resource* resource = resource_of(pData->hResource);
  Surface* surface = resource ? resource->surface(pData->SubResourceIndex) : nullptr;
  return surface ? device_of(hDevice).unmap(*surface) : E_INVALIDARG;
}

}  // namespace softgpu
