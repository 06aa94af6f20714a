// Fills and copies of surfaces, on the GPU where it sees them and by the CPU where it does not; the same for every DDI.
#pragma once

#include "device.h"
#include "softgpu_draw.h"

namespace softgpu {

// A surface of a resource, as every copy names one.
struct Place {
  Resource* resource;
  Surface* surface;

  uint32_t pixel_bytes() const { return resource->format.pixel_bytes; }
};

inline Place place_of(Resource* resource, uint32_t index) {
  return {resource, resource ? resource->surface(index) : nullptr};
}

// Whether a rectangle is one and lies inside of the surface.
bool contains(const Surface& surface, const SOFTGPU_RECT& rect);
// What of it does.
SOFTGPU_RECT clip(const SOFTGPU_RECT& rect, const SOFTGPU_RECT& to);
SOFTGPU_RECT whole(const Surface& surface);
inline bool is_empty(const SOFTGPU_RECT& rect) { return rect.left >= rect.right || rect.top >= rect.bottom; }

// Rectangles lie inside; `pixel` is in the surface's own format.
HRESULT fill(Device& device, const Place& to, const SOFTGPU_RECT& rect, uint32_t pixel);
HRESULT copy(Device& device, const Place& from, const SOFTGPU_RECT& rect, const Place& to, uint32_t x, uint32_t y);
// Of a buffer the rectangle is one row of bytes.
HRESULT copy_from_cpu(Device& device, const uint8_t* from, uint32_t pitch, const Place& to, const SOFTGPU_RECT& rect);
// To a rectangle of another size; of surfaces the GPU sees, with four bytes to a pixel.
HRESULT stretch(Device& device, const Place& from, const SOFTGPU_RECT& source, const Place& to,
                const SOFTGPU_RECT& destination);
// Bytes of buffers.
HRESULT copy_bytes(Device& device, const Place& from, uint64_t from_offset, const Place& to, uint64_t to_offset,
                   uint64_t bytes);

// All bytes of a surface to another of the same size, both of which the GPU sees.
HRESULT copy_memory_of(Device& device, const Surface& from, const Surface& to);

// A pixel of a format from red, green, blue and alpha in one D3DCOLOR.
uint32_t pack_pixel(uint32_t format, uint32_t argb);

}  // namespace softgpu
