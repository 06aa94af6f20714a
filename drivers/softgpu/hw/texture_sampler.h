#pragma once

#include <array>
#include <cstdint>

#include "softgpu/hw/fault.h"
#include "softgpu/hw/memory.h"
#include "softgpu/proto/softgpu_draw.h"

namespace softgpu {

// Reads texels of one draw, through a cache of small blocks of memory. Owned by the pixel pipe.
class TextureSampler {
 public:
  explicit TextureSampler(Memory& memory) : memory_(memory) {}

  // The draw stays where it is until the next one is begun. Forgets what was read for the one before.
  void begin(const SOFTGPU_DRAW& draw, const View& view);

  // ARGB. Coordinates may be any numbers, and none.
  uint32_t nearest(float u, float v);
  uint32_t bilinear(float u, float v);

  // The first fault since begin(): from there on texels are 0.
  const Outcome& fault() const { return fault_; }

 private:
  static constexpr uint32_t kBlockShift = 8;
  static constexpr uint32_t kBlockBytes = 1u << kBlockShift;
  static constexpr uint32_t kBlocks = 1024;
  static constexpr uint64_t kNoBlock = ~uint64_t{0};

  uint32_t texel(uint32_t x, uint32_t y);
  const uint8_t* block(uint64_t number);
  void fill(uint32_t slot, uint64_t number);

  Memory& memory_;
  const SOFTGPU_DRAW* draw_ = nullptr;
  View view_;
  uint32_t pixel_bytes_ = 4;
  Outcome fault_;
  std::array<uint64_t, kBlocks> numbers_{};  // address / kBlockBytes of what each slot holds
  std::array<std::array<uint8_t, kBlockBytes>, kBlocks> blocks_{};
};

}  // namespace softgpu
