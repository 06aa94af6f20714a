#include "umd/common/shared_allocation_counts.h"

#include <gtest/gtest.h>

namespace umd {
namespace {

TEST(SharedAllocationCounts, ComparesProcessesThatAskForTheSame) {
  SharedAllocationCounts allocation_counts;
  EXPECT_EQ(allocation_counts.differing("texture", 1, 3), std::nullopt);
  EXPECT_EQ(allocation_counts.differing("texture", 2, 3), std::nullopt);
  EXPECT_EQ(allocation_counts.differing("texture", 1, 2), std::nullopt) << "the same process";
  EXPECT_EQ(allocation_counts.differing("target", 2, 5), std::nullopt) << "another shape";
  EXPECT_EQ(allocation_counts.differing("texture", 2, 4), 3u);
}

}  // namespace
}  // namespace umd
