#include "verifier/fault_plan.h"

#include <gtest/gtest.h>

namespace verifier {
namespace {

nt::PoolRequest from_stack(uint32_t stack) { return {16, 0x6c6c694d, stack}; }

TEST(FailNth, FailsTheFirstFromTheNthStackOnly) {
  FailNth plan(2);
  EXPECT_FALSE(plan.fails(from_stack(10)));
  EXPECT_FALSE(plan.fails(from_stack(10)));  // the same place again does not count
  EXPECT_FALSE(plan.reached());
  EXPECT_TRUE(plan.fails(from_stack(3)));
  EXPECT_TRUE(plan.reached());
  EXPECT_FALSE(plan.fails(from_stack(3)));
  EXPECT_FALSE(plan.fails(from_stack(4)));
  EXPECT_EQ(plan.stacks(), 3u);
}

TEST(FailNth, CountsAnewAfterReset) {
  FailNth plan(1);
  EXPECT_TRUE(plan.fails(from_stack(7)));
  plan.reset();
  EXPECT_FALSE(plan.reached());
  EXPECT_TRUE(plan.fails(from_stack(7)));
}

}  // namespace
}  // namespace verifier
