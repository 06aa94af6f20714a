#include "host/render/picture.h"

#include <algorithm>
#include <cstdlib>

#include "base/check.h"

namespace host {
namespace {

uint32_t distance(const Pixel& a, const Pixel& b) {
  int red = std::abs(a.red - b.red), green = std::abs(a.green - b.green), blue = std::abs(a.blue - b.blue);
  return static_cast<uint32_t>(std::max({red, green, blue, std::abs(a.alpha - b.alpha)}));
}

}  // namespace

Difference compare(const Picture& a, const Picture& b, uint32_t tolerance) {
  CHECK(a.width == b.width && a.height == b.height);
  Difference difference{.pixels = a.pixels.size()};
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    uint32_t apart = distance(a.pixels[i], b.pixels[i]);
    difference.largest = std::max(difference.largest, apart);
    if (apart > tolerance) ++difference.apart;
  }
  return difference;
}

}  // namespace host
