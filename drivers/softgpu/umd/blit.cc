#include "blit.h"

#include <stddef.h>
#include <string.h>

namespace softgpu {
namespace {

constexpr uint64_t kBandBytes = 128 * 1024;  // of what is uploaded at a time

uint32_t width_of(const SOFTGPU_RECT& rect) { return static_cast<uint32_t>(rect.right - rect.left); }
uint32_t height_of(const SOFTGPU_RECT& rect) { return static_cast<uint32_t>(rect.bottom - rect.top); }

bool intersects(const SOFTGPU_RECT& a, const SOFTGPU_RECT& b) { return !is_empty(clip(a, b)); }

uint64_t offset_of(const Place& place, uint32_t x, uint32_t y) {
  return static_cast<uint64_t>(y) * place.surface->pitch + static_cast<uint64_t>(x) * place.pixel_bytes();
}

// Rows of pixels in the GPU's memory, as COPY_RECT names them.
struct Rows {
  Allocation* allocation;
  uint64_t offset;
  uint32_t x;
  uint32_t y;
  uint32_t pitch;
};

Rows rows_of(const Place& place, uint32_t x, uint32_t y) {
  return {place.surface->current, 0, x, y, place.surface->pitch};
}

HRESULT copy_rows(Device& device, const Rows& from, const Rows& to, uint32_t width, uint32_t height,
                  uint32_t pixel_bytes) {
  SOFTGPU_COPY_RECT packet = {};
  packet.header = softgpu_header(SOFTGPU_CMD_COPY_RECT, 0, sizeof(packet), 0);
  packet.source_x = from.x;
  packet.source_y = from.y;
  packet.source_pitch = from.pitch;
  packet.destination_x = to.x;
  packet.destination_y = to.y;
  packet.destination_pitch = to.pitch;
  packet.width = width;
  packet.height = height;
  packet.pixel_bytes = pixel_bytes;
  Operand operands[] = {{from.allocation, from.offset, offsetof(SOFTGPU_COPY_RECT, source), false},
                        {to.allocation, to.offset, offsetof(SOFTGPU_COPY_RECT, destination), true}};
  return device.add(packet.header, operands, 2);
}

HRESULT copy_linear(Device& device, Allocation* from, uint64_t from_offset, Allocation* to, uint64_t to_offset,
                    uint64_t bytes) {
  SOFTGPU_COPY packet = {};
  packet.header = softgpu_header(SOFTGPU_CMD_COPY, 0, sizeof(packet), 0);
  packet.bytes = bytes;
  Operand operands[] = {{from, from_offset, offsetof(SOFTGPU_COPY, source), false},
                        {to, to_offset, offsetof(SOFTGPU_COPY, destination), true}};
  return device.add(packet.header, operands, 2);
}

// --- The CPU's part ---

void copy_memory(uint8_t* to, uint32_t to_pitch, const uint8_t* from, uint32_t from_pitch, uint32_t row_bytes,
                 uint32_t rows) {
  for (uint32_t i = 0; i < rows; ++i) {
    memmove(to + static_cast<uint64_t>(i) * to_pitch, from + static_cast<uint64_t>(i) * from_pitch, row_bytes);
  }
}

void fill_memory(const Place& to, const SOFTGPU_RECT& rect, uint32_t pixel) {
  for (int32_t y = rect.top; y < rect.bottom; ++y) {
    uint8_t* row = to.surface->system + offset_of(to, static_cast<uint32_t>(rect.left), static_cast<uint32_t>(y));
    for (uint32_t x = 0; x < width_of(rect); ++x) memcpy(row + x * to.pixel_bytes(), &pixel, to.pixel_bytes());
  }
}

HRESULT copy_to_cpu(Device& device, const Place& from, const SOFTGPU_RECT& rect, uint8_t* to, uint32_t pitch) {
  uint8_t* bytes = nullptr;
  HRESULT result = device.map(*from.resource, *from.surface, Access::Read, Wait::Yes, &bytes);
  if (FAILED(result)) return result;
  bytes += offset_of(from, static_cast<uint32_t>(rect.left), static_cast<uint32_t>(rect.top));
  copy_memory(to, pitch, bytes, from.surface->pitch, width_of(rect) * from.pixel_bytes(), height_of(rect));
  return device.unmap(*from.surface);
}

// In bands, so that large pictures need no large memory.
HRESULT upload_rows(Device& device, const uint8_t* from, uint32_t pitch, const Place& to, const SOFTGPU_RECT& rect) {
  uint32_t row_bytes = width_of(rect) * to.pixel_bytes();
  uint32_t band_pitch = (row_bytes + 3) & ~3u;
  auto band = static_cast<uint32_t>(kBandBytes / band_pitch);
  uint32_t rows = 0;
  for (uint32_t done = 0; done < height_of(rect); done += rows) {
    rows = height_of(rect) - done < band ? height_of(rect) - done : band;
    Slice slice;
    HRESULT result = device.upload(static_cast<uint64_t>(band_pitch) * rows, &slice);
    if (FAILED(result)) return result;
    copy_memory(slice.bytes, band_pitch, from + static_cast<uint64_t>(done) * pitch, pitch, row_bytes, rows);
    Rows between = {slice.allocation, slice.offset, 0, 0, band_pitch};
    Rows target = rows_of(to, static_cast<uint32_t>(rect.left), static_cast<uint32_t>(rect.top) + done);
    result = copy_rows(device, between, target, width_of(rect), rows, to.pixel_bytes());
    if (FAILED(result)) return result;
  }
  return S_OK;
}

HRESULT upload_bytes(Device& device, const uint8_t* from, const Place& to, uint64_t offset, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes;) {
    uint64_t part = bytes - done < kBandBytes ? bytes - done : kBandBytes;
    Slice slice;
    HRESULT result = device.upload(part, &slice);
    if (FAILED(result)) return result;
    memcpy(slice.bytes, from + done, static_cast<size_t>(part));
    result = copy_linear(device, slice.allocation, slice.offset, to.surface->current, offset + done, part);
    if (FAILED(result)) return result;
    done += part;
  }
  return S_OK;
}

// Where source and destination overlap, by way of memory between.
HRESULT copy_overlapping(Device& device, const Place& from, const SOFTGPU_RECT& rect, uint32_t x, uint32_t y) {
  uint32_t pitch = (width_of(rect) * from.pixel_bytes() + 3) & ~3u;
  Slice slice;
  HRESULT result = device.upload(static_cast<uint64_t>(pitch) * height_of(rect), &slice);
  if (FAILED(result)) return result;
  Rows between = {slice.allocation, slice.offset, 0, 0, pitch};
  Rows source = rows_of(from, static_cast<uint32_t>(rect.left), static_cast<uint32_t>(rect.top));
  result = copy_rows(device, source, between, width_of(rect), height_of(rect), from.pixel_bytes());
  if (FAILED(result)) return result;
  return copy_rows(device, between, rows_of(from, x, y), width_of(rect), height_of(rect), from.pixel_bytes());
}

}  // namespace

// --- Rectangles ---

SOFTGPU_RECT whole(const Surface& surface) {
  return {0, 0, static_cast<int32_t>(surface.width), static_cast<int32_t>(surface.height)};
}

bool contains(const Surface& surface, const SOFTGPU_RECT& rect) {
  SOFTGPU_RECT all = whole(surface);
  return rect.left >= 0 && rect.top >= 0 && rect.left <= rect.right && rect.top <= rect.bottom &&
         rect.right <= all.right && rect.bottom <= all.bottom;
}

SOFTGPU_RECT clip(const SOFTGPU_RECT& rect, const SOFTGPU_RECT& to) {
  return {rect.left > to.left ? rect.left : to.left, rect.top > to.top ? rect.top : to.top,
          rect.right < to.right ? rect.right : to.right, rect.bottom < to.bottom ? rect.bottom : to.bottom};
}

// --- Fills ---

HRESULT fill(Device& device, const Place& to, const SOFTGPU_RECT& rect, uint32_t pixel) {
  if (is_empty(rect)) return S_OK;
  if (to.surface->system) {
    fill_memory(to, rect, pixel);
    return S_OK;
  }
  SOFTGPU_CLEAR_RECT packet = {};
  packet.header = softgpu_header(SOFTGPU_CMD_CLEAR_RECT, 0, sizeof(packet), pixel);
  packet.x = static_cast<uint32_t>(rect.left);
  packet.y = static_cast<uint32_t>(rect.top);
  packet.width = width_of(rect);
  packet.height = height_of(rect);
  packet.pitch = to.surface->pitch;
  packet.pixel_bytes = to.pixel_bytes();
  Operand operand = {to.surface->current, 0, offsetof(SOFTGPU_CLEAR_RECT, destination), true};
  return device.add(packet.header, &operand, 1);
}

uint32_t pack_pixel(uint32_t format, uint32_t argb) {
  uint32_t red = argb >> 16 & 0xFF;
  uint32_t green = argb >> 8 & 0xFF;
  uint32_t blue = argb & 0xFF;
  switch (format) {
    case SOFTGPU_FORMAT_R5G6B5:
      return red >> 3 << 11 | green >> 2 << 5 | blue >> 3;
    case SOFTGPU_FORMAT_A8B8G8R8:
    case SOFTGPU_FORMAT_X8B8G8R8:
      return (argb & 0xFF00FF00u) | blue << 16 | red;
    case SOFTGPU_FORMAT_A8:
      return argb >> 24;
    case SOFTGPU_FORMAT_L8:
      return red;
    default:
      return argb;
  }
}

// --- Copies ---

HRESULT copy(Device& device, const Place& from, const SOFTGPU_RECT& rect, const Place& to, uint32_t x, uint32_t y) {
  if (is_empty(rect)) return S_OK;
  auto left = static_cast<uint32_t>(rect.left);
  auto top = static_cast<uint32_t>(rect.top);
  SOFTGPU_RECT target = {static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(x + width_of(rect)),
                         static_cast<int32_t>(y + height_of(rect))};
  if (to.surface->system) {
    uint8_t* bytes = to.surface->system + offset_of(to, x, y);
    if (!from.surface->system) return copy_to_cpu(device, from, rect, bytes, to.surface->pitch);
    copy_memory(bytes, to.surface->pitch, from.surface->system + offset_of(from, left, top), from.surface->pitch,
                width_of(rect) * to.pixel_bytes(), height_of(rect));
    return S_OK;
  }
  if (from.surface->system) {
    const uint8_t* bytes = from.surface->system + offset_of(from, left, top);
    return copy_from_cpu(device, bytes, from.surface->pitch, to, target);
  }
  if (from.surface == to.surface && intersects(rect, target)) return copy_overlapping(device, from, rect, x, y);
  return copy_rows(device, rows_of(from, left, top), rows_of(to, x, y), width_of(rect), height_of(rect),
                   to.pixel_bytes());
}

HRESULT copy_from_cpu(Device& device, const uint8_t* from, uint32_t pitch, const Place& to, const SOFTGPU_RECT& rect) {
  if (is_empty(rect)) return S_OK;
  if (to.surface->system) {
    uint8_t* bytes =
        to.surface->system + offset_of(to, static_cast<uint32_t>(rect.left), static_cast<uint32_t>(rect.top));
    copy_memory(bytes, to.surface->pitch, from, pitch, width_of(rect) * to.pixel_bytes(), height_of(rect));
    return S_OK;
  }
  if (to.resource->format.use != FormatUse::Buffer) return upload_rows(device, from, pitch, to, rect);
  return upload_bytes(device, from, to, static_cast<uint64_t>(rect.left), width_of(rect));
}

HRESULT stretch(Device& device, const Place& from, const SOFTGPU_RECT& source, const Place& to,
                const SOFTGPU_RECT& destination) {
  if (is_empty(source) || is_empty(destination)) return S_OK;
  SOFTGPU_STRETCH_RECT packet = {};
  packet.header = softgpu_header(SOFTGPU_CMD_STRETCH_RECT, 0, sizeof(packet), 0);
  packet.source_x = static_cast<uint32_t>(source.left);
  packet.source_y = static_cast<uint32_t>(source.top);
  packet.source_width = width_of(source);
  packet.source_height = height_of(source);
  packet.source_pitch = from.surface->pitch;
  packet.source_format = from.resource->format.name;
  packet.destination_x = static_cast<uint32_t>(destination.left);
  packet.destination_y = static_cast<uint32_t>(destination.top);
  packet.destination_width = width_of(destination);
  packet.destination_height = height_of(destination);
  packet.destination_pitch = to.surface->pitch;
  packet.destination_format = to.resource->format.name;
  Operand operands[] = {{from.surface->current, 0, offsetof(SOFTGPU_STRETCH_RECT, source), false},
                        {to.surface->current, 0, offsetof(SOFTGPU_STRETCH_RECT, destination), true}};
  return device.add(packet.header, operands, 2);
}

HRESULT copy_memory_of(Device& device, const Surface& from, const Surface& to) {
  return copy_linear(device, from.current, 0, to.current, 0, from.bytes());
}

HRESULT copy_bytes(Device& device, const Place& from, uint64_t from_offset, const Place& to, uint64_t to_offset,
                   uint64_t bytes) {
  if (from.surface->system || to.surface->system) {
    uint8_t* from_bytes = nullptr;
    uint8_t* to_bytes = nullptr;
    HRESULT result = device.map(*from.resource, *from.surface, Access::Read, Wait::Yes, &from_bytes);
    if (FAILED(result)) return result;
    result = device.map(*to.resource, *to.surface, Access::Write, Wait::Yes, &to_bytes);
    if (SUCCEEDED(result)) {
      memmove(to_bytes + to_offset, from_bytes + from_offset, static_cast<size_t>(bytes));
      result = device.unmap(*to.surface);
    }
    return first_failure(result, device.unmap(*from.surface));
  }
  return copy_linear(device, from.surface->current, from_offset, to.surface->current, to_offset, bytes);
}

}  // namespace softgpu
