#include "nt/machine/in_use_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "base/testing/seed.h"

namespace nt {
namespace {

constexpr InUseKind kKinds[] = {InUseKind::Waiters, InUseKind::SpinWaiters, InUseKind::Timer, InUseKind::Dpc};

void* value(uintptr_t n) { return reinterpret_cast<void*>(n); }

TEST(InUseTableTest, KeepsKindsApart) {
  InUseTable table;
  table.ensure(0x1000, InUseKind::Timer) = value(1);
  table.ensure(0x1000, InUseKind::Dpc) = value(2);
  EXPECT_EQ(*table.find(0x1000, InUseKind::Timer), value(1));
  EXPECT_EQ(*table.find(0x1000, InUseKind::Dpc), value(2));
  EXPECT_EQ(table.find(0x1000, InUseKind::Waiters), nullptr);
  table.erase(0x1000, InUseKind::Timer);
  EXPECT_EQ(table.find(0x1000, InUseKind::Timer), nullptr);
  EXPECT_EQ(*table.find(0x1000, InUseKind::Dpc), value(2));
  EXPECT_EQ(table.size(), 1u);
}

TEST(InUseTableTest, EnsureFindsWhatIsThere) {
  InUseTable table;
  EXPECT_EQ(table.ensure(0x1000, InUseKind::Waiters), nullptr);
  table.ensure(0x1000, InUseKind::Waiters) = value(7);
  EXPECT_EQ(table.ensure(0x1000, InUseKind::Waiters), value(7));
  EXPECT_EQ(table.size(), 1u);
  table.erase(0x2000, InUseKind::Waiters);  // was never there
  EXPECT_EQ(table.size(), 1u);
}

TEST(InUseTableTest, KnowsWhetherAPageHoldsAnything) {
  InUseTable table;
  table.ensure(0x5008, InUseKind::Waiters);
  EXPECT_TRUE(table.any_in(0x5000, 0x5001));
  EXPECT_TRUE(table.any_in(0x4000, 0x6000));
  EXPECT_FALSE(table.any_in(0x4000, 0x5000));
  EXPECT_FALSE(table.any_in(0x6000, 0x9000));
  EXPECT_FALSE(table.any_in(0x5000, 0x5000));
  table.erase(0x5008, InUseKind::Waiters);
  EXPECT_FALSE(table.any_in(0x5000, 0x6000));
}

// Against a map that does the same slowly; the whole table is compared after every phase.
TEST(InUseTableTest, BehavesLikeAMap) {
  uint64_t seed = base::seed_for_test(11);
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::Rng rng(seed);
  InUseTable table;
  std::map<std::pair<uintptr_t, InUseKind>, void*> model;
  constexpr uintptr_t kBase = 0x2000'0000'0000;
  for (int phase = 0; phase < 40; ++phase) {
    bool filling = phase % 2 == 0;
    for (int step = 0; step < 500; ++step) {
      uintptr_t address = kBase + rng.below(400) * 256;
      InUseKind kind = kKinds[rng.below(4)];
      if (rng.below(4) < (filling ? 3u : 1u)) {
        table.ensure(address, kind) = model[{address, kind}] = value(rng.below(1000));
      } else {
        table.erase(address, kind);
        model.erase({address, kind});
      }
    }
    ASSERT_EQ(table.size(), model.size());
    auto expected = model.begin();
    table.for_each_in(kBase, kBase + 400 * 256, [&](uintptr_t address, InUseKind kind, void* found) {
      ASSERT_NE(expected, model.end());
      EXPECT_EQ(std::make_pair(address, kind), expected->first);
      EXPECT_EQ(found, expected->second);
      ASSERT_TRUE(table.find(address, kind));
      EXPECT_EQ(*table.find(address, kind), found);
      ++expected;
    });
    EXPECT_EQ(expected, model.end());
    for (uintptr_t page = kBase; page < kBase + 400 * 256; page += 4096) {
      auto first = model.lower_bound({page, InUseKind{}});
      bool any = first != model.end() && first->first.first < page + 4096;
      ASSERT_EQ(table.any_in(page, page + 4096), any);
    }
  }
}

}  // namespace
}  // namespace nt
