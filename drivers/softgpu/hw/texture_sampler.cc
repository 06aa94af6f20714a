#include "softgpu/hw/texture_sampler.h"

#include <cstring>

#include "softgpu/hw/pixel_format.h"

namespace softgpu {
namespace {

// Positions between texels have this many bits.
constexpr int kFractionBits = 8;
constexpr int64_t kFraction = 1 << kFractionBits;

// Times a size and a fraction it still fits. A texture that is repeated more often than that is noise anyway.
constexpr float kFarthest = 131072.0f;

float tame(float coordinate) {
  if (!(coordinate > -kFarthest)) return -kFarthest;
  return coordinate < kFarthest ? coordinate : kFarthest;
}

int64_t floor_of(float value) {
  auto whole = static_cast<int64_t>(value);
  return static_cast<float>(whole) > value ? whole - 1 : whole;
}

uint32_t modulo(int64_t texel, int64_t size) {
  if ((size & (size - 1)) == 0) return static_cast<uint32_t>(texel & (size - 1));
  int64_t rest = texel % size;
  return static_cast<uint32_t>(rest < 0 ? rest + size : rest);
}

// The texel that stands for one anywhere on the plane.
uint32_t place(int64_t texel, uint32_t size, uint8_t mode) {
  switch (mode) {
    case SOFTGPU_ADDRESS_WRAP:
      return modulo(texel, size);
    case SOFTGPU_ADDRESS_MIRROR: {
      uint32_t twice = modulo(texel, int64_t{size} * 2);
      return twice < size ? twice : 2 * size - 1 - twice;
    }
    default:
      return texel < 0 ? 0 : texel < size ? static_cast<uint32_t>(texel) : size - 1;
  }
}

// Of four texels, each with a weight; together they are kFraction squared.
uint32_t mix(const uint32_t (&texels)[4], const uint32_t (&weights)[4]) {
  constexpr uint32_t kHalf = kFraction * kFraction / 2;
  uint32_t mixed = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    uint32_t sum = kHalf;
    for (int i = 0; i < 4; ++i) sum += (texels[i] >> shift & 0xFF) * weights[i];
    mixed |= (sum >> (2 * kFractionBits)) << shift;
  }
  return mixed;
}

}  // namespace

void TextureSampler::begin(const SOFTGPU_DRAW& draw, const View& view) {
  draw_ = &draw;
  view_ = view;
  pixel_bytes_ = softgpu_pixel_bytes(draw.texture_surface.format);
  fault_.reset();
  numbers_.fill(kNoBlock);
}

uint32_t TextureSampler::nearest(float u, float v) {
  const SOFTGPU_SURFACE& surface = draw_->texture_surface;
  int64_t x = floor_of(tame(u) * static_cast<float>(surface.width));
  int64_t y = floor_of(tame(v) * static_cast<float>(surface.height));
  return texel(place(x, surface.width, draw_->address_u), place(y, surface.height, draw_->address_v));
}

uint32_t TextureSampler::bilinear(float u, float v) {
  const SOFTGPU_SURFACE& surface = draw_->texture_surface;
  // Half a texel less, since texels have their centres at halves, and half a fraction more to round.
  int64_t x = floor_of(tame(u) * static_cast<float>(surface.width * kFraction) + 0.5f) - kFraction / 2;
  int64_t y = floor_of(tame(v) * static_cast<float>(surface.height * kFraction) + 0.5f) - kFraction / 2;
  auto right = static_cast<uint32_t>(x & (kFraction - 1)), below = static_cast<uint32_t>(y & (kFraction - 1));
  uint32_t left = kFraction - right, above = kFraction - below;
  const uint32_t columns[2] = {place(x >> kFractionBits, surface.width, draw_->address_u),
                               place((x >> kFractionBits) + 1, surface.width, draw_->address_u)};
  const uint32_t rows[2] = {place(y >> kFractionBits, surface.height, draw_->address_v),
                            place((y >> kFractionBits) + 1, surface.height, draw_->address_v)};
  return mix(
      {texel(columns[0], rows[0]), texel(columns[1], rows[0]), texel(columns[0], rows[1]), texel(columns[1], rows[1])},
      {left * above, right * above, left * below, right * below});
}

uint32_t TextureSampler::texel(uint32_t x, uint32_t y) {
  uint64_t address = draw_->texture + uint64_t{y} * draw_->texture_surface.pitch + uint64_t{x} * pixel_bytes_;
  uint32_t pixel = 0;
  const uint8_t* bytes = block(address >> kBlockShift) + address % kBlockBytes;
  switch (pixel_bytes_) {
    case 4:
      std::memcpy(&pixel, bytes, 4);
      break;
    case 2:
      std::memcpy(&pixel, bytes, 2);
      break;
    default:
      pixel = *bytes;
  }
  return to_argb(draw_->texture_surface.format, pixel);
}

const uint8_t* TextureSampler::block(uint64_t number) {
  auto slot = static_cast<uint32_t>(number % kBlocks);
  if (numbers_[slot] != number) fill(slot, number);
  return blocks_[slot].data();
}

// A block never crosses a page, so it can be read whole wherever one byte of it can.
void TextureSampler::fill(uint32_t slot, uint64_t number) {
  numbers_[slot] = number;
  if (!fault_) fault_ = memory_.read(view_, number << kBlockShift, blocks_[slot].data(), kBlockBytes);
  if (fault_) blocks_[slot].fill(0);
}

}  // namespace softgpu
