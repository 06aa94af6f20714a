#include "vidmm/segment/hole_finder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "base/testing/seed.h"

namespace vidmm {
namespace {

constexpr uint64_t kPage = 4096;

Extent pages(uint64_t first, uint64_t count) { return {first * kPage, count * kPage}; }

// A segment laid out from left to right.
struct Layout {
  std::vector<Occupant> occupants;
  std::vector<Extent> gaps;
  uint64_t page = 0;

  Layout& gap(uint64_t count) {
    gaps.push_back(pages(page, count));
    page += count;
    return *this;
  }
  Layout& movable(uint64_t count, uint64_t cost) { return occupant(count, cost, true); }
  Layout& pinned(uint64_t count) { return occupant(count, 0, false); }
  Layout& carved(uint64_t count) {
    page += count;
    return *this;
  }
  Layout& occupant(uint64_t count, uint64_t cost, bool movable) {
    occupants.push_back({pages(page, count), cost, movable});
    page += count;
    return *this;
  }

  std::optional<HolePlan> find(HoleRequest request) const { return find_hole(request, occupants, gaps); }
};

TEST(HoleFinder, TakesTheCheapestRunOfNeighboursAndGaps) {
  Layout layout;
  layout.gap(1).movable(3, 50).movable(2, 20).gap(1).movable(1, 10).pinned(2).gap(1).movable(3, 90);
  auto plan = layout.find({4 * kPage});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->extent, pages(4, 4));
  EXPECT_EQ(plan->cost, 30u);
  EXPECT_EQ(plan->first, 1u);
  EXPECT_EQ(plan->count, 2u);
}

TEST(HoleFinder, AGapThatIsLargeEnoughCostsNothing) {
  Layout layout;
  layout.movable(4, 1).gap(4).movable(4, 1);
  auto plan = layout.find({4 * kPage});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->extent, pages(4, 4));
  EXPECT_EQ(plan->count, 0u);
}

TEST(HoleFinder, NothingReachesOverWhatStays) {
  Layout pinned;
  pinned.gap(3).pinned(1).gap(3);
  EXPECT_FALSE(pinned.find({4 * kPage}));
  Layout carved;
  carved.gap(3).carved(1).movable(3, 1);
  EXPECT_FALSE(carved.find({4 * kPage}));
  EXPECT_TRUE(carved.find({3 * kPage}));
}

TEST(HoleFinder, HonoursAlignmentAndRange) {
  Layout layout;
  layout.movable(3, 1).movable(6, 5).movable(7, 100);
  auto aligned = layout.find({2 * kPage, 4 * kPage});
  ASSERT_TRUE(aligned);
  EXPECT_EQ(aligned->extent, pages(0, 2));
  auto ranged = layout.find({2 * kPage, 4 * kPage, kPage, 16 * kPage});
  ASSERT_TRUE(ranged);
  EXPECT_EQ(ranged->extent, pages(4, 2));
  EXPECT_EQ(ranged->cost, 5u);
  EXPECT_FALSE(layout.find({2 * kPage, 4 * kPage, kPage, 5 * kPage}));
}

TEST(HoleFinder, FewerLeaveAtEqualCost) {
  Layout layout;
  layout.movable(1, 1).movable(1, 1).pinned(1).movable(2, 2);
  auto plan = layout.find({2 * kPage});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->first, 3u);
  EXPECT_EQ(plan->count, 1u);
}

TEST(HoleFinder, EmptyOrTooSmallHasNone) {
  EXPECT_FALSE(Layout().find({kPage}));
  EXPECT_FALSE(Layout().gap(3).find({UINT64_MAX & ~(kPage - 1)}));
  EXPECT_FALSE(Layout().gap(3).find({kPage, uint64_t{1} << 63, kPage}));
}

Layout random_layout(base::Rng& rng) {
  Layout layout;
  bool after_gap = false;
  for (uint64_t pieces = rng.below(12) + 1; pieces != 0; --pieces) {
    uint64_t count = rng.below(6) + 1;
    uint64_t kind = rng.below(10);
    if (kind < 3 && !after_gap) {
      layout.gap(count);
    } else if (kind == 9) {
      layout.carved(count);
    } else {
      layout.occupant(count, rng.below(8), kind < 8);
    }
    after_gap = !layout.gaps.empty() && layout.gaps.back().end() == layout.page * kPage;
  }
  return layout;
}

// What sending away everything in the range costs; none if something in it stays.
std::optional<HolePlan> plan_at(const Layout& layout, uint64_t page, uint64_t count) {
  HolePlan plan = {pages(page, count), 0, 0, 0};
  uint64_t covered = 0;
  auto overlap = [&](const Extent& extent) {
    uint64_t begin = std::max(extent.offset, plan.extent.offset);
    uint64_t end = std::min(extent.end(), plan.extent.end());
    return end > begin ? end - begin : 0;
  };
  for (const Extent& gap : layout.gaps) covered += overlap(gap);
  for (const Occupant& occupant : layout.occupants) {
    uint64_t bytes = overlap(occupant.extent);
    if (bytes == 0) continue;
    if (!occupant.movable) return {};
    covered += bytes;
    plan.cost += occupant.cost;
    ++plan.count;
  }
  if (covered != plan.extent.bytes) return {};
  return plan;
}

TEST(HoleFinder, AgreesWithTryingEveryOffset) {
  uint64_t first_seed = base::seed_for_test(1);
  for (uint64_t seed = first_seed; seed < first_seed + 5000; ++seed) {
    SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
    base::Rng rng(seed);
    Layout layout = random_layout(rng);
    uint64_t count = rng.below(10) + 1;
    uint64_t alignment = rng.below(4) + 1;  // 3 pages too: alignments need not be powers of two
    uint64_t begin = rng.chance(1, 2) ? 0 : rng.below(layout.page);
    uint64_t end = rng.chance(1, 2) ? layout.page : begin + rng.below(layout.page - begin + 1);

    std::optional<HolePlan> best;
    for (uint64_t page = (begin + alignment - 1) / alignment * alignment; page + count <= end; page += alignment) {
      auto plan = plan_at(layout, page, count);
      if (!plan) continue;
      bool better = !best || plan->cost < best->cost || (plan->cost == best->cost && plan->count < best->count);
      if (better) best = plan;
    }
    auto found = layout.find({count * kPage, alignment * kPage, begin * kPage, end * kPage});
    ASSERT_EQ(found.has_value(), best.has_value());
    if (!found) continue;
    ASSERT_EQ(found->extent, best->extent);
    ASSERT_EQ(found->cost, best->cost);
    ASSERT_EQ(found->count, best->count);
    for (size_t i = 0; i < layout.occupants.size(); ++i) {
      const Extent& extent = layout.occupants[i].extent;
      bool leaves = i >= found->first && i < found->first + found->count;
      ASSERT_EQ(leaves, extent.offset < found->extent.end() && found->extent.offset < extent.end());
    }
  }
}

}  // namespace
}  // namespace vidmm
