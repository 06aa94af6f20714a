#pragma once

#include <cstdint>

namespace softgpu {

// What varies over a primitive.
enum Varying : int { kDepth, kInverseW, kRed, kGreen, kBlue, kAlpha, kU, kV };
constexpr int kVaryings = 8;
constexpr int kFirstColor = kRed, kFirstTexcoord = kU;

// Pixels that may be written; right and bottom are not part of it.
struct Bounds {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;

  bool empty() const { return left >= right || top >= bottom; }
  bool contains(int x, int y) const { return x >= left && x < right && y >= top && y < bottom; }
};

// How a primitive's varyings are to be read.
struct Shading {
  bool perspective = false;      // all but depth and 1/w were divided by w
  bool constant_colors = false;  // those do not vary and were not divided
};

// Covered pixels of one row.
struct Span {
  int x = 0;
  int y = 0;
  int count = 0;
  Shading shading;
  float start[kVaryings] = {};  // at the first pixel's centre
  float step[kVaryings] = {};   // from one to the next
};

}  // namespace softgpu
