// Shaders. The hardware has fixed functions, so that softgpu knows a few programs and no others. The token stream of
// one that it knows is
//
//   [0] as Direct3D wants it: which kind of shader, for which version
//   [1] how many tokens there are, with these two; at least four
//   [2] kShaderMark
//   [3] kColorProgram or kTextureProgram
//
// and whatever comes behind is not looked at. A vertex shader of either kind multiplies the position in register 0
// (two to four floats), as a row vector, with the matrix that constant buffer 0 begins with, row by row, and hands on
// the colour in register 1 (four floats or R8G8B8A8_UNORM or B8G8R8A8_UNORM; white if the layout has none); that of
// kTextureProgram also hands on the coordinate in register 2 (two floats or more). A pixel shader writes the colour, or
// with kTextureProgram the colour times texel of texture 0, seen through sampler 0.
#pragma once

#include <d3d10umddi.h>
#include <stdint.h>

namespace softgpu::d3d10 {

inline constexpr UINT kShaderMark = 0x48534753;  // "SGSH"
inline constexpr UINT kColorProgram = 1;
inline constexpr UINT kTextureProgram = 2;

// Both lie in the runtime's memory.
struct Shader {
  UINT program;
};

// Where in a vertex its parts are.
struct Layout {
  bool drawable;  // everything that programs read comes in formats that the hardware reads, out of one buffer
  UINT slot;
  uint16_t position;  // SOFTGPU_ABSENT, as those below
  uint16_t color;
  uint16_t coordinate;
  uint8_t position_kind;  // SOFTGPU_POSITION_…
  uint8_t color_kind;     // SOFTGPU_COLOR_…
};

}  // namespace softgpu::d3d10
