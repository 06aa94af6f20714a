#include "base/align.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Align, RoundsToMultiplesOfAPowerOfTwo) {
  EXPECT_EQ(round_up(0, 16), 0u);
  EXPECT_EQ(round_up(1, 16), 16u);
  EXPECT_EQ(round_up(16, 16), 16u);
  EXPECT_EQ(round_up(17, 16), 32u);
  EXPECT_EQ(round_down(15, 16), 0u);
  EXPECT_EQ(round_down(16, 16), 16u);
  EXPECT_EQ(round_down(UINT64_MAX, kPageBytes), UINT64_MAX - 4095);
  EXPECT_EQ(round_up(5, 1), 5u);
  EXPECT_EQ(round_down(5, 1), 5u);
}

TEST(Align, RoundingUpBeyondTheLastAddressGivesZero) { EXPECT_EQ(round_up(UINT64_MAX, kPageBytes), 0u); }

TEST(Align, CountsPages) {
  EXPECT_EQ(page_count(0), 0u);
  EXPECT_EQ(page_count(1), 1u);
  EXPECT_EQ(page_count(4096), 1u);
  EXPECT_EQ(page_count(4097), 2u);
}

}  // namespace
}  // namespace base
