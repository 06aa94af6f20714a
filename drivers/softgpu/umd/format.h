// What softgpu can do with the formats of Direct3D.
#pragma once

#include <stdint.h>

#include "softgpu_draw.h"

namespace softgpu {

enum class FormatUse : uint8_t { None, Texture, Target, Depth, Buffer };

// Target: drawn to and sampled. Texture: sampled only. Depth is a float for each pixel in the hardware, whatever its
// format is called.
struct Format {
  uint32_t name;  // D3DDDIFORMAT
  FormatUse use;
  uint8_t pixel_bytes;
};

inline constexpr Format kFormats[] = {
    {SOFTGPU_FORMAT_A8R8G8B8, FormatUse::Target, 4}, {SOFTGPU_FORMAT_X8R8G8B8, FormatUse::Target, 4},
    {SOFTGPU_FORMAT_R5G6B5, FormatUse::Target, 2},   {SOFTGPU_FORMAT_A8B8G8R8, FormatUse::Target, 4},
    {SOFTGPU_FORMAT_X8B8G8R8, FormatUse::Target, 4}, {SOFTGPU_FORMAT_A8, FormatUse::Texture, 1},
    {SOFTGPU_FORMAT_L8, FormatUse::Texture, 1},      {80 /* D16 */, FormatUse::Depth, 4},
    {77 /* D24X8 */, FormatUse::Depth, 4},           {82 /* D32F_LOCKABLE */, FormatUse::Depth, 4},
    {100 /* VERTEXDATA */, FormatUse::Buffer, 1},    {101 /* INDEX16 */, FormatUse::Buffer, 1},
    {102 /* INDEX32 */, FormatUse::Buffer, 1},
};

// FormatUse::None for one that softgpu does not know.
inline Format find_format(uint32_t name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return format;
  }
  return {name, FormatUse::None, 0};
}

}  // namespace softgpu
