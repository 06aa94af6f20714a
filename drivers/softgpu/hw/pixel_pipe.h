#pragma once

#include <array>
#include <cstdint>

#include "softgpu/hw/blender.h"
#include "softgpu/hw/fault.h"
#include "softgpu/hw/memory.h"
#include "softgpu/hw/span.h"
#include "softgpu/hw/texture_sampler.h"
#include "softgpu/proto/softgpu_draw.h"

namespace softgpu {

// Draws covered pixels: depth, colour, texture, tests, blending. Works on a row at a time, so that memory is reached
// once for many pixels. Owned by the renderer.
class PixelPipe {
 public:
  explicit PixelPipe(Memory& memory) : memory_(memory), sampler_(memory) {}

  // The draw stays where it is until the next one is begun.
  void begin(const SOFTGPU_DRAW& draw, const View& view);

  // The pixels lie on the target.
  [[nodiscard]] Outcome draw(const Span& span);

 private:
  bool uses(uint32_t flag) const { return (draw_->header.argument & flag) != 0; }
  [[nodiscard]] Outcome draw_piece(const Span& span);
  [[nodiscard]] Outcome test_depth(const Span& span);
  [[nodiscard]] Outcome write_depth(const Span& span);
  [[nodiscard]] Outcome write_colors(const Span& span);
  [[nodiscard]] Outcome read_row(const Span& span);
  [[nodiscard]] Outcome write_row(const Span& span);
  bool is_solid(const Span& span) const;
  void shade(const Span& span);
  void apply_texture(const Span& span);
  void find_texels(const Span& span);
  void test_alpha(const Span& span);
  void blend_with_row(const Span& span);
  void pack(const Span& span);
  template <typename Test>
  void keep(uint8_t function, int count, Test test);
  float inverse_of(const Span& span, int pixel) const;
  uint64_t address_of(const Span& span) const;

  Memory& memory_;
  TextureSampler sampler_;
  const SOFTGPU_DRAW* draw_ = nullptr;
  View view_;
  uint32_t pixel_bytes_ = 4;
  uint32_t write_bits_ = 0;  // of a pixel in the target's format
  float lowest_depth_ = 0;
  float highest_depth_ = 1;

  // Of the piece of a row that is being drawn.
  int live_count_ = 0;
  std::array<uint8_t, kPixels> live_{};  // 1: has passed the tests so far
  std::array<float, kPixels> depth_{};
  std::array<float, kPixels> old_depth_{};
  std::array<float, kPixels> w_{};  // by which what is in perspective is multiplied
  std::array<uint32_t, kPixels> texels_{};
  std::array<uint32_t, kPixels> row_{};     // the target's, in its format
  std::array<uint32_t, kPixels> packed_{};  // the new one, in the target's format
  std::array<uint16_t, kPixels> narrow_{};  // a row of two bytes a pixel, on its way to or from memory
  Colors colors_{};
  Colors there_{};
};

}  // namespace softgpu
