#include "umd/shared_shapes.h"

#include <gtest/gtest.h>

namespace umd {
namespace {

TEST(SharedShapes, ComparesProcessesThatAskForTheSame) {
  SharedShapes shapes;
  EXPECT_EQ(shapes.differing("texture", 1, 3), std::nullopt);
  EXPECT_EQ(shapes.differing("texture", 2, 3), std::nullopt);
  EXPECT_EQ(shapes.differing("texture", 1, 2), std::nullopt) << "the same process";
  EXPECT_EQ(shapes.differing("target", 2, 5), std::nullopt) << "another shape";
  EXPECT_EQ(shapes.differing("texture", 2, 4), 3u);
}

}  // namespace
}  // namespace umd
