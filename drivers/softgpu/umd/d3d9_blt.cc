// Blt, TexBlt, BufBlt, UpdateSubresourceUP, GenerateMipSubLevels.
#include "blit.h"
#include "d3d9_entry.h"
#include "softgpu_draw_check.h"

namespace softgpu {
namespace {

SOFTGPU_RECT convert(const RECT& rect) { return {rect.left, rect.top, rect.right, rect.bottom}; }

bool same_size(const SOFTGPU_RECT& a, const SOFTGPU_RECT& b) {
  return a.right - a.left == b.right - b.left && a.bottom - a.top == b.bottom - b.top;
}

bool same_pixels(const Resource& a, const Resource& b) {
  return a.format.name == b.format.name ||
         (softgpu_is_stretch_format(a.format.name) && softgpu_is_stretch_format(b.format.name));
}

bool can_stretch(const Place& place) {
  return !place.surface->system && softgpu_is_stretch_format(place.resource->format.name);
}

bool is_copy(D3DDDI_BLTFLAGS flags) {
  return !flags.SrcColorKey && !flags.DstColorKey && !flags.MirrorLeftRight && !flags.MirrorUpDown &&
         !flags.LinearToSrgb && !flags.Rotate;
}

// One level; the parts of the rectangle that either side lacks are left out.
HRESULT copy_level(D3d9Device& device, const Place& from, SOFTGPU_RECT rect, const Place& to, int32_t x, int32_t y) {
  rect = clip(rect, whole(*from.surface));
  SOFTGPU_RECT target = {x, y, x + rect.right - rect.left, y + rect.bottom - rect.top};
  if (is_empty(rect) || x < 0 || y < 0) return S_OK;
  target = clip(target, whole(*to.surface));
  rect.right = rect.left + target.right - target.left;
  rect.bottom = rect.top + target.bottom - target.top;
  return copy(device, from, rect, to, static_cast<uint32_t>(x), static_cast<uint32_t>(y));
}

// The level of the source that has the size of the destination's first; the source's levels may begin further up.
uint32_t first_common_level(const Resource& from, const Resource& to) {
  uint32_t level = 0;
  while (level + 1 < from.levels && from.surfaces[level].width > to.surfaces[0].width) ++level;
  return level;
}

// Half of it, and a pixel that is half covered too.
SOFTGPU_RECT halve(const SOFTGPU_RECT& rect) {
  return {rect.left / 2, rect.top / 2, (rect.right + 1) / 2, (rect.bottom + 1) / 2};
}

}  // namespace

HRESULT APIENTRY blt(HANDLE hDevice, const D3DDDIARG_BLT* pData) {
  Place from = place_of(resource_of(pData->hSrcResource), pData->SrcSubResourceIndex);
  Place to = place_of(resource_of(pData->hDstResource), pData->DstSubResourceIndex);
  SOFTGPU_RECT source = convert(pData->SrcRect);
  SOFTGPU_RECT destination = convert(pData->DstRect);
  if (!from.surface || !to.surface || !contains(*from.surface, source) || !contains(*to.surface, destination)) {
    return E_INVALIDARG;
  }
  if (to.resource->format.use == FormatUse::Buffer) return E_INVALIDARG;
  if (!is_copy(pData->Flags) || !same_pixels(*from.resource, *to.resource)) return D3DERR_NOTAVAILABLE;
  D3d9Device& device = device_of(hDevice);
  if (same_size(source, destination)) {
    return copy(device, from, source, to, static_cast<uint32_t>(destination.left),
                static_cast<uint32_t>(destination.top));
  }
  if (!can_stretch(from) || !can_stretch(to) || from.surface == to.surface) return D3DERR_NOTAVAILABLE;
  return stretch(device, from, source, to, destination);
}

HRESULT APIENTRY texture_blt(HANDLE hDevice, const D3DDDIARG_TEXBLT* pData) {
  Resource* from = resource_of(pData->hSrcResource);
  Resource* to = resource_of(pData->hDstResource);
  if (!from || !to || from->format.name != to->format.name) return E_INVALIDARG;
  SOFTGPU_RECT rect = convert(pData->SrcRect);
  int32_t x = pData->DstPoint.x;
  int32_t y = pData->DstPoint.y;
  uint32_t skipped = first_common_level(*from, *to);
  for (uint32_t i = 0; i < skipped; ++i) rect = halve(rect);
  for (uint32_t level = 0; level < to->levels && level + skipped < from->levels; ++level) {
    HRESULT result = copy_level(device_of(hDevice), place_of(from, level + skipped), rect, place_of(to, level), x, y);
    if (FAILED(result)) return result;
    rect = halve(rect);
    x /= 2;
    y /= 2;
  }
  return S_OK;
}

// That contents may be discarded or are not overwritten spares nothing: commands run in order.
HRESULT APIENTRY texture_blt1(HANDLE hDevice, const D3DDDIARG_TEXBLT1* pData) {
  D3DDDIARG_TEXBLT args = {pData->hDstResource, pData->hSrcResource, pData->CubeMapFace, pData->DstPoint,
                           pData->SrcRect};
  return texture_blt(hDevice, &args);
}

HRESULT APIENTRY buffer_blt(HANDLE hDevice, const D3DDDIARG_BUFFERBLT* pData) {
  Place from = place_of(resource_of(pData->hSrcResource), 0);
  Place to = place_of(resource_of(pData->hDstResource), 0);
  if (!from.surface || !to.surface) return E_INVALIDARG;
  uint64_t begin = pData->SrcRange.Offset;
  uint64_t bytes = pData->SrcRange.Size;
  if (begin + bytes > from.surface->bytes() || pData->Offset + bytes > to.surface->bytes()) return E_INVALIDARG;
  if (bytes == 0) return S_OK;
  return copy_bytes(device_of(hDevice), from, begin, to, pData->Offset, bytes);
}

HRESULT APIENTRY buffer_blt1(HANDLE hDevice, const D3DDDIARG_BUFFERBLT1* pData) {
  D3DDDIARG_BUFFERBLT args = {pData->hDstResource, pData->hSrcResource, pData->Offset, pData->SrcRange};
  return buffer_blt(hDevice, &args);
}

HRESULT APIENTRY update_subresource(HANDLE hDevice, const D3DDDIARG_UPDATESUBRESOURCEUP* pData) {
  Place to = place_of(resource_of(pData->hResource), pData->SubResourceIndex);
  if (!to.surface || !pData->pSysMemUP) return E_INVALIDARG;
  SOFTGPU_RECT rect = whole(*to.surface);
  if (pData->Flags.BoxValid) {
    const D3DDDIBOX& box = pData->DstBox;
    rect = {static_cast<int32_t>(box.Left), static_cast<int32_t>(box.Top), static_cast<int32_t>(box.Right),
            static_cast<int32_t>(box.Bottom)};
    if (to.resource->format.use == FormatUse::Buffer) rect.top = 0, rect.bottom = 1;
  }
  if (!contains(*to.surface, rect)) return E_INVALIDARG;
  return copy_from_cpu(device_of(hDevice), static_cast<const uint8_t*>(pData->pSysMemUP), pData->RowPitch, to, rect);
}

// Each level from the one above it.
HRESULT APIENTRY generate_mip_levels(HANDLE hDevice, const D3DDDIARG_GENERATEMIPSUBLEVELS* pData) {
  Resource* texture = resource_of(pData->hResource);
  if (!texture) return E_INVALIDARG;
  for (uint32_t level = 1; level < texture->levels; ++level) {
    Place from = place_of(texture, level - 1);
    Place to = place_of(texture, level);
    if (!to.surface || !can_stretch(from)) return S_OK;
    HRESULT result = stretch(device_of(hDevice), from, whole(*from.surface), to, whole(*to.surface));
    if (FAILED(result)) return result;
  }
  return S_OK;
}

}  // namespace softgpu
