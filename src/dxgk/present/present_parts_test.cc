#include "dxgk/present/present_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>

#include "base/rng.h"

namespace dxgk {
namespace {

using ::testing::IsEmpty;

std::string text(const RECT& rectangle) {
  return std::to_string(rectangle.left) + "," + std::to_string(rectangle.top) + "-" + std::to_string(rectangle.right) +
         "," + std::to_string(rectangle.bottom);
}
std::vector<std::string> parts(const RECT& from, const RECT& to, const std::vector<RECT>& of) {
  std::vector<std::string> drawn;
  for (const RECT& part : destination_parts(from, to, of)) drawn.push_back(text(part));
  return drawn;
}
using Texts = std::vector<std::string>;

TEST(PresentParts, MoveWithTheirRectangle) {
  EXPECT_EQ(parts({0, 0, 10, 10}, {100, 200, 110, 210}, {{0, 0, 10, 10}, {2, 3, 4, 5}}),
            (Texts{"100,200-110,210", "102,203-104,205"}));
  EXPECT_EQ(parts({-5, -5, 5, 5}, {0, 0, 10, 10}, {{-1, -2, 3, 4}}), (Texts{"4,3-8,9"}));
}

TEST(PresentParts, AreClippedToTheDestination) {
  EXPECT_EQ(parts({2, 2, 6, 6}, {0, 0, 4, 4}, {{0, 0, 100, 4}, {-9, 3, 3, 9}}), (Texts{"0,0-4,2", "0,1-1,4"}));
}

TEST(PresentParts, WithNothingToDrawAreLeftOut) {
  EXPECT_THAT(parts({0, 0, 4, 4}, {0, 0, 4, 4}, {{1, 1, 1, 3}, {3, 1, 2, 2}, {4, 0, 8, 4}, {0, -5, 4, 0}}), IsEmpty());
}

TEST(PresentParts, CoverWhatTheyTouchWhenTheyAreStretched) {
  EXPECT_EQ(parts({0, 0, 4, 4}, {0, 0, 8, 2}, {{1, 1, 3, 2}}), (Texts{"2,0-6,1"}));
  EXPECT_EQ(parts({0, 0, 3, 3}, {0, 0, 10, 10}, {{1, 0, 2, 3}}), (Texts{"3,0-7,10"}));
}

TEST(PresentParts, OfTheWholePlane) {
  RECT all{INT_MIN, INT_MIN, INT_MAX, INT_MAX};
  EXPECT_EQ(parts(all, all, {all}), (Texts{text(all)}));
  EXPECT_EQ(parts(all, {0, 0, 1, 1}, {all, {0, 0, 1, 1}}), (Texts{"0,0-1,1", "0,0-1,1"}));
  EXPECT_EQ(parts({0, 0, 1, 1}, all, {{0, 0, 1, 1}}), (Texts{text(all)}));
}

TEST(PresentParts, NeverLeaveTheDestination) {
  uint64_t seed = ::testing::UnitTest::GetInstance()->random_seed() + 1;
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::Rng rng(seed);
  auto any = [&](uint32_t span) { return static_cast<LONG>(rng.below(span)) - static_cast<LONG>(span / 2); };
  for (int i = 0; i < 2000; ++i) {
    RECT from{any(40), any(40), 0, 0}, to{any(4000), any(4000), 0, 0};
    from.right = from.left + 1 + static_cast<LONG>(rng.below(30));
    from.bottom = from.top + 1 + static_cast<LONG>(rng.below(30));
    to.right = to.left + 1 + static_cast<LONG>(rng.below(3000));
    to.bottom = to.top + 1 + static_cast<LONG>(rng.below(3000));
    std::vector<RECT> of;
    for (int j = 0; j < 4; ++j) of.push_back({any(60), any(60), any(60), any(60)});
    for (const RECT& part : destination_parts(from, to, of)) {
      ASSERT_FALSE(is_empty(part)) << text(part);
      ASSERT_TRUE(part.left >= to.left && part.top >= to.top && part.right <= to.right && part.bottom <= to.bottom)
          << text(part) << " of " << text(to);
    }
  }
}

TEST(PresentParts, BoundsCoverAllRectangles) {
  std::vector<RECT> some{{5, 5, 5, 9}, {3, 4, 7, 8}, {-1, 6, 2, 20}};
  EXPECT_EQ(text(bounds_of(some)), "-1,4-7,20");
  EXPECT_TRUE(is_empty(bounds_of({})));
}

}  // namespace
}  // namespace dxgk
