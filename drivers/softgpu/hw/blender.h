#pragma once

#include <cstdint>

#include "softgpu/proto/softgpu_draw.h"

namespace softgpu {

// How many pixels are worked on at a time.
constexpr int kPixels = 512;

// Colours of a row of pixels, a channel at a time; 0 to 1.
struct Colors {
  float channels[4][kPixels];  // red, green, blue, alpha
};

// Blends `count` new colours with those that are there, in place.
void blend(const SOFTGPU_DRAW& draw, const Colors& there, int count, Colors* colors);

}  // namespace softgpu
