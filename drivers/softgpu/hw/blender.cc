#include "softgpu/hw/blender.h"

#include <algorithm>

#include "softgpu/hw/pixel_format.h"

namespace softgpu {
namespace {

constexpr int kAlphaChannel = 3;

struct Operands {
  const SOFTGPU_DRAW& draw;
  const Colors& source;
  const Colors& destination;
  int channel;
  int count;
};

float constant_of(const SOFTGPU_DRAW& draw, int channel) {
  int shift = channel == kAlphaChannel ? 24 : 16 - 8 * channel;
  return static_cast<float>(draw.blend_factor >> shift & 0xFF) / 255.0f;
}

template <typename Value>
void fill(int count, float* factors, Value value) {
  for (int i = 0; i < count; ++i) factors[i] = value(i);
}

void find_factors(uint8_t factor, const Operands& of, float* factors) {
  const float* source = of.source.channels[of.channel];
  const float* source_alpha = of.source.channels[kAlphaChannel];
  const float* destination = of.destination.channels[of.channel];
  const float* destination_alpha = of.destination.channels[kAlphaChannel];
  const float constant = constant_of(of.draw, of.channel);
  switch (factor) {
    case SOFTGPU_BLEND_ZERO:
      return fill(of.count, factors, [](int) { return 0.0f; });
    case SOFTGPU_BLEND_ONE:
      return fill(of.count, factors, [](int) { return 1.0f; });
    case SOFTGPU_BLEND_SRC_COLOR:
      return fill(of.count, factors, [&](int i) { return source[i]; });
    case SOFTGPU_BLEND_INV_SRC_COLOR:
      return fill(of.count, factors, [&](int i) { return 1 - source[i]; });
    case SOFTGPU_BLEND_SRC_ALPHA:
      return fill(of.count, factors, [&](int i) { return source_alpha[i]; });
    case SOFTGPU_BLEND_INV_SRC_ALPHA:
      return fill(of.count, factors, [&](int i) { return 1 - source_alpha[i]; });
    case SOFTGPU_BLEND_DEST_ALPHA:
      return fill(of.count, factors, [&](int i) { return destination_alpha[i]; });
    case SOFTGPU_BLEND_INV_DEST_ALPHA:
      return fill(of.count, factors, [&](int i) { return 1 - destination_alpha[i]; });
    case SOFTGPU_BLEND_DEST_COLOR:
      return fill(of.count, factors, [&](int i) { return destination[i]; });
    case SOFTGPU_BLEND_INV_DEST_COLOR:
      return fill(of.count, factors, [&](int i) { return 1 - destination[i]; });
    case SOFTGPU_BLEND_SRC_ALPHA_SAT:
      if (of.channel == kAlphaChannel) return fill(of.count, factors, [](int) { return 1.0f; });
      return fill(of.count, factors, [&](int i) { return std::min(source_alpha[i], 1 - destination_alpha[i]); });
    case SOFTGPU_BLEND_FACTOR:
      return fill(of.count, factors, [&](int) { return constant; });
    default:
      return fill(of.count, factors, [&](int) { return 1 - constant; });
  }
}

struct Factors {
  float source[kPixels];
  float destination[kPixels];
};

void combine(uint8_t op, const Operands& of, const Factors& by, float* out) {
  const float* source = of.source.channels[of.channel];
  const float* destination = of.destination.channels[of.channel];
  switch (op) {
    case SOFTGPU_BLEND_OP_ADD:
      return fill(of.count, out,
                  [&](int i) { return clamp_to_one(source[i] * by.source[i] + destination[i] * by.destination[i]); });
    case SOFTGPU_BLEND_OP_SUBTRACT:
      return fill(of.count, out,
                  [&](int i) { return clamp_to_one(source[i] * by.source[i] - destination[i] * by.destination[i]); });
    case SOFTGPU_BLEND_OP_REV_SUBTRACT:
      return fill(of.count, out,
                  [&](int i) { return clamp_to_one(destination[i] * by.destination[i] - source[i] * by.source[i]); });
    case SOFTGPU_BLEND_OP_MIN:
      return fill(of.count, out, [&](int i) { return std::min(source[i], destination[i]); });
    default:
      return fill(of.count, out, [&](int i) { return std::max(source[i], destination[i]); });
  }
}

}  // namespace

void blend(const SOFTGPU_DRAW& draw, const Colors& there, int count, Colors* colors) {
  Factors factors;
  // Alpha is the last, since the others' factors are made of it.
  for (int channel = 0; channel < 4; ++channel) {
    const bool alpha = channel == kAlphaChannel;
    const Operands of{draw, *colors, there, channel, count};
    find_factors(alpha ? draw.blend_source_alpha : draw.blend_source, of, factors.source);
    find_factors(alpha ? draw.blend_destination_alpha : draw.blend_destination, of, factors.destination);
    combine(alpha ? draw.blend_op_alpha : draw.blend_op, of, factors, colors->channels[channel]);
  }
}

}  // namespace softgpu
