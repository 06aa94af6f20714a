// Clears, copies and updates.
#include <string.h>

#include "blit.h"
#include "d3d10_entry.h"
#include "softgpu_draw_check.h"

namespace softgpu::d3d10 {
namespace {

SOFTGPU_RECT convert(const D3D10_DDI_BOX& box) { return {box.left, box.top, box.right, box.bottom}; }

bool is_empty(const D3D10_DDI_BOX& box) {
  return box.left >= box.right || box.top >= box.bottom || box.front >= box.back;
}

bool same_pixels(const Place& a, const Place& b) {
  return a.pixel_bytes() == b.pixel_bytes() && is_buffer(*a.resource) == is_buffer(*b.resource);
}

HRESULT copy_buffer(D3d10Device& device, const Place& from, uint64_t begin, uint64_t end, const Place& to,
                    uint64_t at) {
  uint64_t source_bytes = from.surface->bytes();
  uint64_t room = to.surface->bytes();
  if (end > source_bytes) end = source_bytes;
  if (begin >= end || at >= room) return S_OK;
  uint64_t bytes = end - begin < room - at ? end - begin : room - at;
  return copy_bytes(device, from, begin, to, at, bytes);
}

// The parts of the rectangle that either side lacks are left out.
HRESULT copy_part(D3d10Device& device, const Place& from, SOFTGPU_RECT rect, const Place& to, UINT x, UINT y) {
  rect = clip(rect, whole(*from.surface));
  if (softgpu::is_empty(rect) || x >= to.surface->width || y >= to.surface->height) return S_OK;
  auto right = static_cast<int32_t>(to.surface->width - x);
  auto bottom = static_cast<int32_t>(to.surface->height - y);
  if (rect.right - rect.left > right) rect.right = rect.left + right;
  if (rect.bottom - rect.top > bottom) rect.bottom = rect.top + bottom;
  return copy(device, from, rect, to, x, y);
}

HRESULT copy_whole(D3d10Device& device, const Place& from, const Place& to) {
  if (!same_pixels(from, to)) return S_OK;
  if (is_buffer(*to.resource)) return copy_buffer(device, from, 0, from.surface->bytes(), to, 0);
  return copy_part(device, from, whole(*from.surface), to, 0, 0);
}

uint32_t to_byte(float value) {
  if (!(value > 0)) return 0;
  return value >= 1 ? 255 : static_cast<uint32_t>(value * 255 + 0.5f);
}

uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float clamp(float value) { return !(value > 0) ? 0 : value < 1 ? value : 1; }

}  // namespace

uint32_t pack_color(const FLOAT* rgba) {
  return to_byte(rgba[3]) << 24 | to_byte(rgba[0]) << 16 | to_byte(rgba[1]) << 8 | to_byte(rgba[2]);
}

// --- Clears ---

void APIENTRY clear_render_target(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRENDERTARGETVIEW hRenderTargetView,
                                  FLOAT pColorRGBA[4]) {
  D3d10Device& device = device_of(hDevice);
  Place to = place_of(*object_of<View>(hRenderTargetView));
  HRESULT result = S_OK;
  if (to.surface && !is_buffer(*to.resource)) {
    uint32_t pixel = pack_pixel(to.resource->format.name, pack_color(pColorRGBA));
    result = fill(device, to, whole(*to.surface), pixel);
  }
  device.finish_command(result);
}

// There are no stencils.
void APIENTRY clear_depth_stencil(D3D10DDI_HDEVICE hDevice, D3D10DDI_HDEPTHSTENCILVIEW hDepthStencilView, UINT Flags,
                                  FLOAT Depth, UINT8) {
  D3d10Device& device = device_of(hDevice);
  Place to = place_of(*object_of<View>(hDepthStencilView));
  bool deep = (Flags & D3D10_DDI_CLEAR_DEPTH) && to.surface;
  device.finish_command(deep ? fill(device, to, whole(*to.surface), bits_of(clamp(Depth))) : S_OK);
}

// --- Copies ---

void APIENTRY copy_resource(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hDstResource,
                            D3D10DDI_HRESOURCE hSrcResource) {
  D3d10Device& device = device_of(hDevice);
  Resource* to = resource_of(hDstResource);
  Resource* from = resource_of(hSrcResource);
  HRESULT result = S_OK;
  for (uint32_t i = 0; i < to->surface_count && i < from->surface_count && SUCCEEDED(result); ++i) {
    result = copy_whole(device, softgpu::place_of(from, i), softgpu::place_of(to, i));
  }
  device.finish_command(result);
}

void APIENTRY copy_region(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hDstResource, UINT DstSubresource, UINT DstX,
                          UINT DstY, UINT DstZ, D3D10DDI_HRESOURCE hSrcResource, UINT SrcSubresource,
                          const D3D10_DDI_BOX* pSrcBox) {
  D3d10Device& device = device_of(hDevice);
  Place from = softgpu::place_of(resource_of(hSrcResource), SrcSubresource);
  Place to = softgpu::place_of(resource_of(hDstResource), DstSubresource);
  bool possible = from.surface && to.surface && DstZ == 0 && same_pixels(from, to) && !(pSrcBox && is_empty(*pSrcBox));
  HRESULT result = S_OK;
  if (possible && is_buffer(*to.resource)) {
    uint64_t begin = pSrcBox ? static_cast<uint64_t>(pSrcBox->left) : 0;
    uint64_t end = pSrcBox ? static_cast<uint64_t>(pSrcBox->right) : from.surface->bytes();
    result = copy_buffer(device, from, begin, end, to, DstX);
  } else if (possible) {
    result = copy_part(device, from, pSrcBox ? convert(*pSrcBox) : whole(*from.surface), to, DstX, DstY);
  }
  device.finish_command(result);
}

// Of one sample it is a copy.
void APIENTRY resolve_subresource(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hDstResource, UINT DstSubresource,
                                  D3D10DDI_HRESOURCE hSrcResource, UINT SrcSubresource, DXGI_FORMAT) {
  copy_region(hDevice, hDstResource, DstSubresource, 0, 0, 0, hSrcResource, SrcSubresource, nullptr);
}

void APIENTRY update_subresource(D3D10DDI_HDEVICE hDevice, D3D10DDI_HRESOURCE hDstResource, UINT DstSubresource,
                                 const D3D10_DDI_BOX* pDstBox, const VOID* pSysMemUP, UINT RowPitch, UINT) {
  D3d10Device& device = device_of(hDevice);
  Place to = softgpu::place_of(resource_of(hDstResource), DstSubresource);
  HRESULT result = S_OK;
  if (to.surface && !(pDstBox && is_empty(*pDstBox))) {
    SOFTGPU_RECT rect = pDstBox ? convert(*pDstBox) : whole(*to.surface);
    if (is_buffer(*to.resource)) rect.top = 0, rect.bottom = 1;
    if (contains(*to.surface, rect)) {
      result = copy_from_cpu(device, static_cast<const uint8_t*>(pSysMemUP), RowPitch, to, rect);
    }
  }
  device.finish_command(result);
}

// Each level of the view from the one above it.
void APIENTRY generate_mips(D3D10DDI_HDEVICE hDevice, D3D10DDI_HSHADERRESOURCEVIEW hShaderResourceView) {
  D3d10Device& device = device_of(hDevice);
  const View& view = *object_of<View>(hShaderResourceView);
  Resource* texture = view.resource->resource;
  HRESULT result = S_OK;
  if (softgpu_is_stretch_format(texture->format.name)) {
    for (uint32_t i = 1; i < view.levels && SUCCEEDED(result); ++i) {
      Place from = softgpu::place_of(texture, view.index + i - 1);
      Place to = softgpu::place_of(texture, view.index + i);
      if (!from.surface || !to.surface) break;
      result = stretch(device, from, whole(*from.surface), to, whole(*to.surface));
    }
  }
  device.finish_command(result);
}

}  // namespace softgpu::d3d10
