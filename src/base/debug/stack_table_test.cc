#include "base/debug/stack_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/testing/seed.h"

namespace base {
namespace {

Stack stack_of(const std::vector<uintptr_t>& pcs) {
  Stack stack;
  for (uintptr_t pc : pcs) stack.pc[stack.count++] = pc;
  return stack;
}

std::vector<uintptr_t> pcs_of(const Stack& stack) { return {stack.pc, stack.pc + stack.count}; }

TEST(StackTable, SameFramesSameId) {
  StackTable table;
  EXPECT_EQ(table.intern(stack_of({1, 2, 3})), 1u);
  EXPECT_EQ(table.intern(stack_of({1, 2, 4})), 2u);
  EXPECT_EQ(table.intern(stack_of({1, 2, 3})), 1u);
  EXPECT_EQ(table.intern(stack_of({1, 2})), 3u);
  EXPECT_EQ(table.intern(stack_of({2, 1, 3})), 4u);
  EXPECT_EQ(table.size(), 4u);
}

TEST(StackTable, NoFramesIsNoStack) {
  StackTable table;
  EXPECT_EQ(table.intern(Stack()), 0u);
  EXPECT_EQ(table.get(0).count, 0u);
  EXPECT_EQ(table.size(), 0u);
}

TEST(StackTable, GetGivesTheFramesBack) {
  StackTable table;
  StackId first = table.intern(stack_of({1, 2, 3}));
  StackId full = table.intern(stack_of(std::vector<uintptr_t>(Stack::kMax, 9)));
  EXPECT_EQ(pcs_of(table.get(first)), (std::vector<uintptr_t>{1, 2, 3}));
  EXPECT_EQ(pcs_of(table.get(full)), std::vector<uintptr_t>(Stack::kMax, 9));
}

TEST(StackTable, ResetForgetsAndCountsAnew) {
  StackTable table;
  table.intern(stack_of({1, 2, 3}));
  table.intern(stack_of({4, 5}));
  table.reset();
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.intern(stack_of({4, 5})), 1u);
  EXPECT_EQ(table.intern(stack_of({1, 2, 3})), 2u);
  EXPECT_EQ(pcs_of(table.get(1)), (std::vector<uintptr_t>{4, 5}));
}

TEST(StackTableDeathTest, UnknownIdAborts) {
  StackTable table;
  EXPECT_DEATH(table.get(1), "CHECK\\(id <= records_.size\\(\\)\\) failed");
}

// Few addresses and few frames, so that equal and nearly equal stacks are common; a small table, so that it grows.
TEST(StackTable, BehavesAsAMapThroughGrowthAndReset) {
  uint64_t seed = seed_for_test(8);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  Rng rng(seed);
  StackTable table(1);
  for (int epoch = 0; epoch < 4; ++epoch) {
    std::map<std::vector<uintptr_t>, StackId> oracle;
    for (int i = 0; i < 10'000; ++i) {
      std::vector<uintptr_t> pcs(1 + rng.below(6));
      for (uintptr_t& pc : pcs) pc = 0x7f0000001000 + rng.below(5) * 16;
      StackId expected = oracle.try_emplace(pcs, static_cast<StackId>(oracle.size() + 1)).first->second;
      ASSERT_EQ(table.intern(stack_of(pcs)), expected);
    }
    ASSERT_EQ(table.size(), oracle.size());
    for (const auto& [pcs, id] : oracle) ASSERT_EQ(pcs_of(table.get(id)), pcs);
    table.reset();
  }
}

}  // namespace
}  // namespace base
