// Clear, ColorFill, DepthFill.
#include <string.h>

#include "blit.h"
#include "d3d9_entry.h"

namespace softgpu {
namespace {

constexpr UINT kComputeRects = 0x8;  // D3DCLEAR_COMPUTERECTS, on the page of D3DDDIARG_CLEAR

SOFTGPU_RECT convert(const RECT& rect) { return {rect.left, rect.top, rect.right, rect.bottom}; }

uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// A pixel of the format's own, as the hardware keeps it.
uint32_t depth_pixel(uint32_t format, uint32_t native) {
  switch (format) {
    case D3DDDIFMT_D16:
      return bits_of(static_cast<float>(native & 0xFFFF) / 65535.0f);
    case D3DDDIFMT_D24X8:
      return bits_of(static_cast<float>(native >> 8) / 16777215.0f);
    default:
      return native;
  }
}

// What the viewport, and the scissor if it is on, leave.
SOFTGPU_RECT drawing_area(const State& state) {
  const D3DDDIARG_VIEWPORTINFO& viewport = state.viewport;
  SOFTGPU_RECT area = {static_cast<int32_t>(viewport.X), static_cast<int32_t>(viewport.Y),
                       static_cast<int32_t>(viewport.X + viewport.Width),
                       static_cast<int32_t>(viewport.Y + viewport.Height)};
  return state.render[D3DDDIRS_SCISSORTESTENABLE] ? clip(area, convert(state.scissor)) : area;
}

// Without rectangles it is all of the surface, or with D3DCLEAR_COMPUTERECTS the viewport. (The page of Clear says so
// of NumRect; its remarks have nothing cleared without that flag, which would leave no use for the call.) Rectangles
// that are not to be computed are clipped already, and here again: a packet may not leave the surface.
HRESULT clear_place(D3d9Device& device, const Place& to, uint32_t pixel, bool compute, UINT count, const RECT* rects) {
  SOFTGPU_RECT all = whole(*to.surface);
  SOFTGPU_RECT area = compute ? clip(drawing_area(device.state), all) : all;
  if (count == 0) return fill(device, to, area, pixel);
  for (UINT i = 0; i < count; ++i) {
    HRESULT result = fill(device, to, clip(convert(rects[i]), area), pixel);
    if (FAILED(result)) return result;
  }
  return S_OK;
}

}  // namespace

HRESULT APIENTRY clear(HANDLE hDevice, const D3DDDIARG_CLEAR* pData, UINT NumRect, const RECT* pRect) {
  D3d9Device& device = device_of(hDevice);
  const State& state = device.state;
  bool compute = (pData->Flags & kComputeRects) != 0;
  HRESULT result = S_OK;
  if ((pData->Flags & D3DCLEAR_TARGET) && target_of(state)) {
    Place to = {state.target, target_of(state)};
    uint32_t pixel = pack_pixel(state.target->format.name, pData->FillColor);
    result = clear_place(device, to, pixel, compute, NumRect, pRect);
  }
  if (SUCCEEDED(result) && (pData->Flags & D3DCLEAR_ZBUFFER) && state.depth) {
    Place to = place_of(state.depth, 0);
    result = clear_place(device, to, bits_of(pData->FillDepth), compute, NumRect, pRect);
  }
  return result;
}

HRESULT APIENTRY color_fill(HANDLE hDevice, const D3DDDIARG_COLORFILL* pData) {
  Place to = place_of(resource_of(pData->hResource), pData->SubResourceIndex);
  SOFTGPU_RECT rect = convert(pData->DstRect);
  if (!to.surface || to.resource->format.use == FormatUse::Depth || !contains(*to.surface, rect)) return E_INVALIDARG;
  return fill(device_of(hDevice), to, rect, pack_pixel(to.resource->format.name, pData->Color));
}

HRESULT APIENTRY depth_fill(HANDLE hDevice, const D3DDDIARG_DEPTHFILL* pData) {
  Place to = place_of(resource_of(pData->hResource), pData->SubResourceIndex);
  SOFTGPU_RECT rect = convert(pData->DstRect);
  if (!to.surface || to.resource->format.use != FormatUse::Depth || !contains(*to.surface, rect)) return E_INVALIDARG;
  return fill(device_of(hDevice), to, rect, depth_pixel(to.resource->format.name, pData->Depth));
}

}  // namespace softgpu
