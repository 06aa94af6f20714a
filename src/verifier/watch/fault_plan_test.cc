#include "verifier/watch/fault_plan.h"

#include <gtest/gtest.h>

namespace verifier {
namespace {

nt::FaultSite from_stack(uint32_t stack) { return {nt::FaultKind::Pool, "ExAllocatePool", stack}; }

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

TEST(FailNth, PassesOverOtherKinds) {
  FailNth plan(1);
  EXPECT_FALSE(plan.fails({nt::FaultKind::Ddi, "DxgkDdiCreateAllocation", 7}));
  EXPECT_EQ(plan.stacks(), 0u);
  FailNth all(1, kAllFaults);
  EXPECT_TRUE(all.fails({nt::FaultKind::Ddi, "DxgkDdiCreateAllocation", 7}));
}

TEST(FailNth, RemembersThePlacesInOrder) {
  FailNth plan(9);
  for (uint32_t stack : {5u, 3u, 5u, 8u}) plan.fails(from_stack(stack));
  EXPECT_EQ(plan.places(), (std::vector<uint32_t>{5, 3, 8}));
  plan.reset();
  EXPECT_TRUE(plan.places().empty());
}

}  // namespace
}  // namespace verifier
