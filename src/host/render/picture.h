#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace host {

struct Pixel {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;
  uint8_t alpha = 255;

  bool operator==(const Pixel&) const = default;
  // From the order that Direct3D's A8R8G8B8 has in a number.
  static constexpr Pixel from_argb(uint32_t argb) {
    return {static_cast<uint8_t>(argb >> 16), static_cast<uint8_t>(argb >> 8), static_cast<uint8_t>(argb),
            static_cast<uint8_t>(argb >> 24)};
  }
};

// Rows of pixels, the top one first. A value.
struct Picture {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<Pixel> pixels;

  Picture() = default;
  Picture(uint32_t w, uint32_t h, Pixel fill = {}) : width(w), height(h), pixels(size_t{w} * h, fill) {}

  Pixel& at(uint32_t x, uint32_t y) { return pixels[size_t{y} * width + x]; }
  const Pixel& at(uint32_t x, uint32_t y) const { return pixels[size_t{y} * width + x]; }
  bool empty() const { return pixels.empty(); }
  bool operator==(const Picture&) const = default;
};

// How far two pictures of one size differ: for each pixel the largest difference of a colour.
struct Difference {
  uint64_t pixels = 0;
  uint64_t apart = 0;  // by more than the tolerance
  uint32_t largest = 0;

  double share() const { return pixels ? static_cast<double>(apart) / static_cast<double>(pixels) : 0; }
};
Difference compare(const Picture& a, const Picture& b, uint32_t tolerance);

}  // namespace host
