#include "host/render/picture.h"

#include <gtest/gtest.h>

namespace host {
namespace {

TEST(Picture, KnowsTheOrderOfDirect3D) { EXPECT_EQ(Pixel::from_argb(0x80112233), (Pixel{0x11, 0x22, 0x33, 0x80})); }

TEST(Picture, DifferencesAreCountedByTheFarthestColour) {
  Picture a(4, 1, {100, 100, 100, 255}), b = a;
  b.at(1, 0) = {103, 99, 100, 255};
  b.at(2, 0) = {100, 100, 96, 255};
  b.at(3, 0) = {100, 100, 100, 0};
  Difference difference = compare(a, b, 3);
  EXPECT_EQ(difference.pixels, 4u);
  EXPECT_EQ(difference.apart, 2u);
  EXPECT_EQ(difference.largest, 255u);
  EXPECT_DOUBLE_EQ(difference.share(), 0.5);
  EXPECT_EQ(compare(a, a, 0).apart, 0u);
}

}  // namespace
}  // namespace host
