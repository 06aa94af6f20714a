#include "vidmm/segment/max_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "base/testing/seed.h"

namespace vidmm {
namespace {

TEST(MaxTree, AgreesWithALinearSearch) {
  uint64_t first_seed = base::seed_for_test(1);
  for (uint64_t seed = first_seed; seed < first_seed + 20; ++seed) {
    SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
    base::Rng rng(seed);
    std::vector<uint32_t> values(rng.below(40) + 1);
    MaxTree tree(values.size());
    for (int step = 0; step < 300; ++step) {
      size_t changed = rng.below(values.size());
      values[changed] = static_cast<uint32_t>(rng.below(10));
      tree.set(changed, values[changed]);
      ASSERT_EQ(tree.at(changed), values[changed]);

      size_t from = rng.below(values.size());
      auto wanted = static_cast<uint32_t>(rng.below(10) + 1);
      size_t after = from;
      while (after < values.size() && values[after] < wanted) ++after;
      ASSERT_EQ(tree.first_from(from, wanted), after == values.size() ? MaxTree::kNowhere : after);
      size_t before = from + 1;
      while (before != 0 && values[before - 1] < wanted) --before;
      ASSERT_EQ(tree.last_until(from, wanted), before == 0 ? MaxTree::kNowhere : before - 1);
    }
  }
}

TEST(MaxTree, BeyondTheEndIsNothing) {
  MaxTree tree(3);
  tree.set(2, 7);
  EXPECT_EQ(tree.first_from(4, 1), MaxTree::kNowhere);
  EXPECT_EQ(tree.last_until(100, 7), 2u);
}

}  // namespace
}  // namespace vidmm
