#include "kssg/hw/pattern.h"

#include <cstddef>

#include "kssg/proto/kssg_regs.h"

namespace kssg {
namespace {

constexpr uint32_t kBlack = 16, kLevels = 220;  // of luma, in video range
constexpr uint8_t kNoColour = 128;
constexpr uint32_t kSpeed = 2;  // levels from one picture to the next
constexpr uint32_t kNumberBytes = 4;

}  // namespace

std::vector<uint8_t> render(uint32_t number, uint32_t width, uint32_t height) {
  std::vector<uint8_t> picture(size_t{width} * height * KSSG_BYTES_PER_PIXEL, kNoColour);
  uint8_t* luma = picture.data();
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x, luma += KSSG_BYTES_PER_PIXEL) {
      *luma = static_cast<uint8_t>(kBlack + (x + y + uint64_t{number} * kSpeed) % kLevels);
    }
  }
  for (uint32_t i = 0; i < kNumberBytes; ++i) picture[i] = static_cast<uint8_t>(number >> 8 * i);
  return picture;
}

uint32_t number_in(const uint8_t* picture) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < kNumberBytes; ++i) number |= uint32_t{picture[i]} << 8 * i;
  return number;
}

}  // namespace kssg
