#include "dxgk/work/gpu_uses.h"

#include <gtest/gtest.h>

namespace dxgk {
namespace {

using Which = GpuUses::Which;

TEST(GpuUses, HavePassedWhenAllThatBeganBeforeHaveEnded) {
  GpuUses uses;
  EXPECT_TRUE(uses.passed(uses.begun(), Which::All));
  uint64_t reads = uses.begin(false), writes = uses.begin(true);
  uint64_t begun = uses.begun();
  EXPECT_EQ(begun, 2u);
  uint64_t later = uses.begin(true);
  EXPECT_FALSE(uses.passed(begun, Which::All));
  uses.end(reads);
  EXPECT_FALSE(uses.passed(begun, Which::All));
  EXPECT_FALSE(uses.passed(begun, Which::Writes));
  uses.end(writes);
  EXPECT_TRUE(uses.passed(begun, Which::All));
  EXPECT_TRUE(uses.passed(begun, Which::Writes));
  EXPECT_FALSE(uses.passed(uses.begun(), Which::Writes));
  uses.end(later);
  EXPECT_TRUE(uses.passed(uses.begun(), Which::All));
}

TEST(GpuUses, EndInAnyOrder) {
  GpuUses uses;
  uint64_t first = uses.begin(false), second = uses.begin(true), third = uses.begin(false);
  uses.end(third);
  uses.end(second);
  EXPECT_TRUE(uses.passed(uses.begun(), Which::Writes));
  EXPECT_FALSE(uses.passed(first, Which::All));
  EXPECT_FALSE(uses.passed(uses.begun(), Which::All));
  uint64_t fourth = uses.begin(true);
  EXPECT_FALSE(uses.passed(fourth, Which::Writes));
  uses.end(first);
  EXPECT_TRUE(uses.passed(third, Which::All));
  uses.end(fourth);
  EXPECT_TRUE(uses.passed(uses.begun(), Which::All));
}

}  // namespace
}  // namespace dxgk
