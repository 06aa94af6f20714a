#include "kssg/hw/pattern.h"

#include <gtest/gtest.h>

namespace kssg {
namespace {

TEST(KssgPattern, HasTheSizeOfYuy2) {
  EXPECT_EQ(render(0, 320, 240).size(), 320u * 240 * 2);
  EXPECT_EQ(render(0, 640, 480).size(), 640u * 480 * 2);
}

TEST(KssgPattern, CarriesItsNumber) {
  for (uint32_t number : {0u, 1u, 0x1234'5678u, UINT32_MAX}) {
    EXPECT_EQ(number_in(render(number, 320, 240).data()), number);
  }
}

TEST(KssgPattern, IsAGreyGradientThatMoves) {
  constexpr uint32_t kWidth = 320;
  const std::vector<uint8_t> first = render(0, kWidth, 240), second = render(1, kWidth, 240);
  const size_t pixel = (size_t{10} * kWidth + 20) * 2;
  EXPECT_EQ(first[pixel], 16 + 30);
  EXPECT_EQ(first[pixel + 1], 128);
  EXPECT_EQ(first[pixel + 2], first[pixel] + 1) << "to the right";
  EXPECT_EQ(first[pixel + kWidth * 2], first[pixel] + 1) << "downwards";
  EXPECT_EQ(second[pixel], first[pixel] + 2) << "in time";
}

TEST(KssgPattern, StaysInVideoRange) {
  const std::vector<uint8_t> picture = render(UINT32_MAX, 640, 480);
  for (size_t i = 4; i < picture.size(); i += 2) {
    ASSERT_GE(picture[i], 16);
    ASSERT_LE(picture[i], 235);
  }
}

TEST(KssgPattern, DependsOnItsNumberAlone) {
  EXPECT_EQ(render(7, 320, 240), render(7, 320, 240));
  EXPECT_NE(render(7, 320, 240), render(8, 320, 240));
}

}  // namespace
}  // namespace kssg
