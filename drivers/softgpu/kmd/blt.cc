#include "blt.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

LONG64 width_of(const RECT& rectangle) { return static_cast<LONG64>(rectangle.right) - rectangle.left; }
LONG64 height_of(const RECT& rectangle) { return static_cast<LONG64>(rectangle.bottom) - rectangle.top; }

bool empty(const RECT& rectangle) { return width_of(rectangle) <= 0 || height_of(rectangle) <= 0; }

bool contains(const Surface& surface, LONG64 left, LONG64 top, LONG64 width, LONG64 height) {
  return left >= 0 && top >= 0 && left + width <= surface.allocation->width &&
         top + height <= surface.allocation->height;
}

UINT64 offset_of(const Surface& surface, LONG64 x, LONG64 y) {
  const Allocation& allocation = *surface.allocation;
  return static_cast<UINT64>(y) * allocation.pitch + static_cast<UINT64>(x) * bytes_per_pixel(allocation.format);
}

}  // namespace

NTSTATUS Blt::copy(const Surface& source, const RECT& from, const Surface& destination, const RECT& to,
                   const RECT& part) {
  if (empty(part)) return STATUS_SUCCESS;
  LONG64 x = static_cast<LONG64>(from.left) + part.left - to.left;
  LONG64 y = static_cast<LONG64>(from.top) + part.top - to.top;
  UINT pixel = bytes_per_pixel(destination.allocation->format);
  bool converts = pixel != bytes_per_pixel(source.allocation->format);
  bool stretches = width_of(from) != width_of(to) || height_of(from) != height_of(to);
  if (converts || stretches || !contains(source, x, y, width_of(part), height_of(part)) ||
      !contains(destination, part.left, part.top, width_of(part), height_of(part))) {
    return STATUS_INVALID_PARAMETER;
  }
  return each_row(part, sizeof(SOFTGPU_COPY), 2, [&](LONG64 row) {
    auto* packet = writer_.add<SOFTGPU_COPY>(SOFTGPU_CMD_COPY, 0, 0);
    put_address(&packet->source, source, offset_of(source, x, y + row));
    put_address(&packet->destination, destination, offset_of(destination, part.left, part.top + row));
    packet->bytes = static_cast<UINT64>(width_of(part)) * pixel;
  });
}

NTSTATUS Blt::fill(const Surface& destination, const RECT& part, UINT color) {
  if (empty(part)) return STATUS_SUCCESS;
  if (!contains(destination, part.left, part.top, width_of(part), height_of(part))) return STATUS_INVALID_PARAMETER;
  return each_row(part, sizeof(SOFTGPU_FILL), 1, [&](LONG64 row) {
    auto* packet = writer_.add<SOFTGPU_FILL>(SOFTGPU_CMD_FILL, 0, color);
    put_address(&packet->destination, destination, offset_of(destination, part.left, part.top + row));
    packet->bytes = static_cast<UINT64>(width_of(part)) * bytes_per_pixel(destination.allocation->format);
  });
}

// Those of earlier passes are only counted.
template <typename Row>
NTSTATUS Blt::each_row(const RECT& part, UINT packet_bytes, UINT patch_count, Row row) {
  for (LONG64 i = 0; i < height_of(part); ++i, ++row_) {
    if (row_ < first_row_) continue;
    if (!has_room(packet_bytes, patch_count)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    row(i);
  }
  return STATUS_SUCCESS;
}

bool Blt::has_room(UINT packet_bytes, UINT patch_count) const {
  return writer_.room() >= packet_bytes && (patches_ == nullptr || patch_end_ - patches_ >= patch_count);
}

void Blt::put_address(UINT64* at, const Surface& surface, UINT64 offset) {
  *at = surface.address != 0 ? surface.address + offset : 0;
  if (patches_ == nullptr) return;
  *patches_ = {};
  patches_->AllocationIndex = surface.index;
  patches_->AllocationOffset = static_cast<UINT>(offset);
  patches_->PatchOffset = static_cast<UINT>(reinterpret_cast<UCHAR*>(at) - dma_);
  ++patches_;
}

}  // namespace softgpu
