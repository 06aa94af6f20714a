// DXGI's formats by the names that softgpu has for them.
#pragma once

#include <dxgiformat.h>

#include "format.h"

namespace softgpu::d3d10 {

// A format without a type is its usual one. FormatUse::None for one that softgpu does not have, as all in which colours
// are not linear.
inline Format find_format(DXGI_FORMAT format) {
  switch (format) {
    case DXGI_FORMAT_B8G8R8A8_UNORM:
    case DXGI_FORMAT_B8G8R8A8_TYPELESS:
      return softgpu::find_format(SOFTGPU_FORMAT_A8R8G8B8);
    case DXGI_FORMAT_B8G8R8X8_UNORM:
    case DXGI_FORMAT_B8G8R8X8_TYPELESS:
      return softgpu::find_format(SOFTGPU_FORMAT_X8R8G8B8);
    case DXGI_FORMAT_R8G8B8A8_UNORM:
    case DXGI_FORMAT_R8G8B8A8_TYPELESS:
      return softgpu::find_format(SOFTGPU_FORMAT_A8B8G8R8);
    case DXGI_FORMAT_B5G6R5_UNORM:
      return softgpu::find_format(SOFTGPU_FORMAT_R5G6B5);
    case DXGI_FORMAT_A8_UNORM:
      return softgpu::find_format(SOFTGPU_FORMAT_A8);
    case DXGI_FORMAT_D16_UNORM:
      return softgpu::find_format(80 /* D16 */);
    case DXGI_FORMAT_D24_UNORM_S8_UINT:
      return softgpu::find_format(77 /* D24X8 */);
    case DXGI_FORMAT_D32_FLOAT:
      return softgpu::find_format(82 /* D32F_LOCKABLE */);
    default:
      return {0, FormatUse::None, 0};
  }
}

// Of depths the hardware has only this one; the others are floats where the CPU would see them.
inline bool is_as_it_says(DXGI_FORMAT format) {
  return format != DXGI_FORMAT_D16_UNORM && format != DXGI_FORMAT_D24_UNORM_S8_UINT;
}

inline Format buffer_format() { return softgpu::find_format(100 /* VERTEXDATA */); }

}  // namespace softgpu::d3d10
