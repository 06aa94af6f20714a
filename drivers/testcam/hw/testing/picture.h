#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "testcam/hw/font.h"
#include "testcam/hw/pattern.h"
#include "testcam/proto/testcam_format.h"

namespace testcam {

struct Pixel {
  int a, b, c;  // Y, U and V, or R, G and B
  bool operator==(const Pixel& other) const { return a == other.a && b == other.b && c == other.c; }
};
inline void PrintTo(const Pixel& pixel, std::ostream* out) { *out << pixel.a << ',' << pixel.b << ',' << pixel.c; }

// For tests: a picture, rendered or captured, looked at by formulas of its own.
class Picture {
 public:
  Picture(const Shape& shape, std::vector<uint8_t> bytes) : shape_(shape), bytes_(std::move(bytes)) {}
  Picture(const Scene& scene, const Shape& shape) : Picture(shape, render(scene, shape)) {}

  const std::vector<uint8_t>& bytes() const { return bytes_; }

  Pixel at(uint32_t x, uint32_t y) const {
    const uint32_t w = shape_.width, h = shape_.height;
    const uint8_t* p = bytes_.data();
    switch (shape_.format) {
      case TESTCAM_FORMAT_YUY2:
        p += (y * w + x / 2 * 2) * 2;
        return {p[x % 2 * 2], p[1], p[3]};
      case TESTCAM_FORMAT_UYVY:
        p += (y * w + x / 2 * 2) * 2;
        return {p[x % 2 * 2 + 1], p[0], p[2]};
      case TESTCAM_FORMAT_NV12: {
        const uint8_t* uv = p + w * h + y / 2 * w + x / 2 * 2;
        return {p[y * w + x], uv[0], uv[1]};
      }
      case TESTCAM_FORMAT_RGB24:
        p += ((h - 1 - y) * w + x) * 3;
        return {p[2], p[1], p[0]};
      default:
        p += ((h - 1 - y) * w + x) * 4;
        return {p[2], p[1], p[0]};
    }
  }

  // '?' for what is no character.
  std::string counter() const { return read(counter_place(shape_.width, shape_.height), counter_text(0).size()); }
  std::string clock() const { return read(clock_place(shape_.width, shape_.height), clock_text(0).size()); }

  // What was looked at, as far as it is written on the picture: the time to the millisecond, which is all that is seen
  // of it. Digits that cannot be read count as something wrong.
  Scene scene() const {
    Scene scene;
    scene.number = number_in(counter());
    const std::string time = clock();
    scene.time_ns =
        (((number_in(time.substr(0, 2)) * 60 + number_in(time.substr(3, 2))) * 60 + number_in(time.substr(6, 2))) *
             1000 +
         number_in(time.substr(9, 3))) *
        1'000'000;
    return scene;
  }

 private:
  static uint64_t number_in(const std::string& digits) {
    uint64_t number = 0;
    for (char digit : digits) number = number * 10 + static_cast<uint64_t>(digit - '0');
    return number;
  }
  // Luminance, or green: both tell white from black.
  bool bright(uint32_t x, uint32_t y) const {
    return (shape_.format < TESTCAM_FORMAT_RGB24 ? at(x, y).a : at(x, y).b) > 128;
  }
  std::string read(const TextPlace& place, size_t characters) const {
    std::string text;
    for (uint32_t i = 0; i < characters; ++i) text += read_one(place, place.x + i * kGlyphAdvance * place.scale);
    return text;
  }
  char read_one(const TextPlace& place, uint32_t left) const {
    Glyph seen{};
    for (uint32_t y = 0; y < kGlyphHeight; ++y) {
      for (uint32_t x = 0; x < kGlyphWidth; ++x) {
        const bool on = bright(left + x * place.scale, place.y + y * place.scale);
        seen[y] = static_cast<uint8_t>(seen[y] << 1 | on);
      }
    }
    for (char character : std::string("0123456789:.")) {
      if (glyph_of(character) == seen) return character;
    }
    return '?';
  }

  Shape shape_;
  std::vector<uint8_t> bytes_;
};

}  // namespace testcam
