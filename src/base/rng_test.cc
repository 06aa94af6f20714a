#include "base/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "base/testing/seed.h"

namespace base {
namespace {

std::vector<uint64_t> draw(Rng rng, int count) {
  std::vector<uint64_t> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(rng.next());
  return numbers;
}

// The first words of xoshiro256** whose state is SplitMix64's output for seed 0, computed once from the published
// algorithms: a changed generator would make every recorded seed replay another run.
TEST(Rng, SequenceOfASeedNeverChanges) {
  EXPECT_EQ(draw(Rng(0), 4),
            (std::vector<uint64_t>{0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0, 0x6aa594f1262d2d2c}));
}

TEST(Rng, SameSeedSameNumbersOtherSeedOthers) {
  EXPECT_EQ(Rng(7).seed(), 7u);
  EXPECT_EQ(draw(Rng(7), 100), draw(Rng(7), 100));
  EXPECT_NE(draw(Rng(7), 4), draw(Rng(8), 4));
}

TEST(Rng, SplitDependsOnSeedLabelAndOrdinalOnly) {
  Rng parent(42);
  Rng early = parent.split("scheduler");
  for (int i = 0; i < 10; ++i) parent.next();
  EXPECT_EQ(draw(early, 10), draw(parent.split("scheduler"), 10));

  std::set<uint64_t> firsts = {parent.split("scheduler").next(),
                               parent.split("scheduler", 1).next(),
                               parent.split("scheduler", 2).next(),
                               parent.split("faults").next(),
                               parent.split("").next(),
                               Rng(43).split("scheduler").next(),
                               Rng(42).next()};
  EXPECT_EQ(firsts.size(), 7u);
}

TEST(Rng, ChildrenOfNeighbouringOrdinalsDoNotCollide) {
  Rng parent(1);
  std::set<uint64_t> firsts;
  for (uint64_t ordinal = 0; ordinal < 10'000; ++ordinal) firsts.insert(parent.split("task", ordinal).next());
  EXPECT_EQ(firsts.size(), 10'000u);
}

TEST(Rng, BelowStaysBelow) {
  uint64_t seed = seed_for_test(3);
  SCOPED_TRACE(seed);
  Rng rng(seed);
  for (uint64_t n : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{1000}, uint64_t{1} << 63, ~uint64_t{0}}) {
    for (int i = 0; i < 1000; ++i) ASSERT_LT(rng.below(n), n);
  }
}

// With n = 3 * 2^62 a remainder of 64 random bits would hit the lowest third twice as often as each other third.
TEST(Rng, BelowIsUnbiasedForLargeRanges) {
  uint64_t seed = seed_for_test(4);
  SCOPED_TRACE(seed);
  Rng rng(seed);
  std::array<int, 3> thirds = {};
  constexpr int kDraws = 30'000;
  for (int i = 0; i < kDraws; ++i) ++thirds[rng.below(uint64_t{3} << 62) >> 62];
  for (int hits : thirds) EXPECT_NEAR(hits, kDraws / 3, 500);  // six standard deviations
}

TEST(Rng, ChanceMatchesItsFraction) {
  uint64_t seed = seed_for_test(5);
  SCOPED_TRACE(seed);
  Rng rng(seed);
  int hits = 0;
  for (int i = 0; i < 70'000; ++i) hits += rng.chance(2, 7);
  EXPECT_NEAR(hits, 20'000, 720);  // six standard deviations
  EXPECT_FALSE(rng.chance(0, 9));
  EXPECT_TRUE(rng.chance(9, 9));
}

TEST(RngDeathTest, NothingIsBelowZero) { EXPECT_DEATH(Rng(1).below(0), "CHECK\\(n != 0\\) failed"); }

}  // namespace
}  // namespace base
