#pragma once

#include <cstdint>

#include "softgpu/proto/softgpu_draw_check.h"

// Pixels of the formats of softgpu_draw.h, in the lowest bits of a word, and the one that all work is done in: ARGB, as
// A8R8G8B8 has it.
namespace softgpu {

constexpr uint32_t kOpaque = 0xFF000000u;

constexpr uint32_t swap_red_and_blue(uint32_t pixel) {
  return (pixel & 0xFF00FF00u) | (pixel >> 16 & 0xFF) | (pixel & 0xFF) << 16;
}

constexpr uint32_t widen_565(uint32_t pixel) {
  uint32_t red = pixel >> 11 & 0x1F, green = pixel >> 5 & 0x3F, blue = pixel & 0x1F;
  return kOpaque | (red << 3 | red >> 2) << 16 | (green << 2 | green >> 4) << 8 | (blue << 3 | blue >> 2);
}

// To the nearest, so that what was widened comes back.
constexpr uint32_t narrow_565(uint32_t argb) {
  uint32_t red = ((argb >> 16 & 0xFF) * 31 + 127) / 255;
  uint32_t green = ((argb >> 8 & 0xFF) * 63 + 127) / 255;
  uint32_t blue = ((argb & 0xFF) * 31 + 127) / 255;
  return red << 11 | green << 5 | blue;
}

constexpr uint32_t to_argb(uint32_t format, uint32_t pixel) {
  switch (format) {
    case SOFTGPU_FORMAT_X8R8G8B8:
      return pixel | kOpaque;
    case SOFTGPU_FORMAT_R5G6B5:
      return widen_565(pixel);
    case SOFTGPU_FORMAT_A8:
      return pixel << 24;
    case SOFTGPU_FORMAT_A8B8G8R8:
      return swap_red_and_blue(pixel);
    case SOFTGPU_FORMAT_X8B8G8R8:
      return swap_red_and_blue(pixel) | kOpaque;
    case SOFTGPU_FORMAT_L8:
      return kOpaque | pixel * 0x010101u;
    default:
      return pixel;
  }
}

// Of the formats that targets have. A mask of whole channels becomes the mask of their bits.
constexpr uint32_t from_argb(uint32_t format, uint32_t argb) {
  switch (format) {
    case SOFTGPU_FORMAT_R5G6B5:
      return narrow_565(argb);
    case SOFTGPU_FORMAT_A8B8G8R8:
    case SOFTGPU_FORMAT_X8B8G8R8:
      return swap_red_and_blue(argb);
    default:
      return argb;
  }
}

// 0 to 1, and 0 for what is no number.
constexpr float clamp_to_one(float value) {
  float positive = value > 0 ? value : 0;
  return positive < 1 ? positive : 1;
}

// Of a value in 0 to 1.
constexpr uint32_t to_byte(float value) { return static_cast<uint32_t>(static_cast<int32_t>(value * 255.0f + 0.5f)); }

}  // namespace softgpu
