#include "softgpu/hw/rectangles.h"

#include <array>
#include <cstring>

#include "softgpu/hw/pixel_format.h"

namespace softgpu {
namespace {

using Row = std::array<uint8_t, SOFTGPU_SURFACE_MAX * 4>;

Outcome misaligned(uint64_t address, uint32_t pixel_bytes, Access access) {
  if (address % pixel_bytes == 0) return {};
  return Fault{SOFTGPU_FAULT_ADDRESS, access, address};
}

uint64_t address_of(uint64_t surface, uint32_t pitch, uint32_t pixel_bytes, uint32_t x, uint32_t y) {
  return surface + uint64_t{pitch} * y + uint64_t{pixel_bytes} * x;
}

// The pixel that the centre of pixel `index` of `count` falls on, where there are `from` of them.
uint32_t nearest(uint32_t index, uint32_t count, uint32_t from) {
  return static_cast<uint32_t>((uint64_t{2} * index + 1) * from / (uint64_t{2} * count));
}

}  // namespace

Outcome clear_rect(const SOFTGPU_CLEAR_RECT& clear, const View& view, Memory& memory) {
  if (Outcome fault = misaligned(clear.destination, clear.pixel_bytes, Access::Write)) return fault;
  const size_t bytes = size_t{clear.width} * clear.pixel_bytes;
  const uint32_t pixel = clear.header.argument;
  Row row;
  for (size_t i = 0; i < bytes; ++i) row[i] = static_cast<uint8_t>(pixel >> (i % clear.pixel_bytes * 8));
  for (uint32_t y = 0; y < clear.height; ++y) {
    uint64_t to = address_of(clear.destination, clear.pitch, clear.pixel_bytes, clear.x, clear.y + y);
    if (Outcome fault = memory.write(view, to, row.data(), bytes)) return fault;
  }
  return {};
}

Outcome copy_rect(const SOFTGPU_COPY_RECT& copy, const View& view, Memory& memory) {
  if (Outcome fault = misaligned(copy.source, copy.pixel_bytes, Access::Read)) return fault;
  if (Outcome fault = misaligned(copy.destination, copy.pixel_bytes, Access::Write)) return fault;
  const size_t bytes = size_t{copy.width} * copy.pixel_bytes;
  Row row;
  for (uint32_t y = 0; y < copy.height; ++y) {
    uint64_t from = address_of(copy.source, copy.source_pitch, copy.pixel_bytes, copy.source_x, copy.source_y + y);
    uint64_t to = address_of(copy.destination, copy.destination_pitch, copy.pixel_bytes, copy.destination_x,
                             copy.destination_y + y);
    if (Outcome fault = memory.read(view, from, row.data(), bytes)) return fault;
    if (Outcome fault = memory.write(view, to, row.data(), bytes)) return fault;
  }
  return {};
}

Outcome stretch_rect(const SOFTGPU_STRETCH_RECT& stretch, const View& view, Memory& memory) {
  if (Outcome fault = misaligned(stretch.source, 4, Access::Read)) return fault;
  if (Outcome fault = misaligned(stretch.destination, 4, Access::Write)) return fault;
  std::array<uint32_t, SOFTGPU_SURFACE_MAX> from_row, to_row;
  for (uint32_t y = 0; y < stretch.destination_height && stretch.destination_width != 0; ++y) {
    uint32_t source_y = stretch.source_y + nearest(y, stretch.destination_height, stretch.source_height);
    uint64_t from = address_of(stretch.source, stretch.source_pitch, 4, stretch.source_x, source_y);
    uint64_t to =
        address_of(stretch.destination, stretch.destination_pitch, 4, stretch.destination_x, stretch.destination_y + y);
    if (Outcome fault = memory.read(view, from, from_row.data(), size_t{4} * stretch.source_width)) return fault;
    for (uint32_t x = 0; x < stretch.destination_width; ++x) {
      uint32_t pixel = from_row[nearest(x, stretch.destination_width, stretch.source_width)];
      to_row[x] = to_argb(stretch.source_format, pixel);
    }
    if (Outcome fault = memory.write(view, to, to_row.data(), size_t{4} * stretch.destination_width)) return fault;
  }
  return {};
}

}  // namespace softgpu
