#include "umd/common/handle_set.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"

namespace umd {
namespace {

HANDLE handle(uint64_t number) { return reinterpret_cast<HANDLE>(number); }

TEST(HandleSet, HoldsWhatWasInserted) {
  HandleSet set;
  EXPECT_FALSE(set.contains(handle(8)));
  set.insert(handle(8));
  set.insert(handle(8));
  EXPECT_TRUE(set.contains(handle(8)));
  EXPECT_EQ(set.size(), 1u);
  set.erase(handle(8));
  EXPECT_FALSE(set.contains(handle(8)));
  set.erase(handle(8));
  EXPECT_EQ(set.size(), 0u);
}

TEST(HandleSet, NullIsNeverInIt) {
  HandleSet set;
  set.insert(nullptr);
  EXPECT_FALSE(set.contains(nullptr));
  EXPECT_EQ(set.size(), 0u);
}

// Few values, so that they collide and wrap around the end.
TEST(HandleSet, AgreesWithAnOrderedSet) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Rng random(seed);
    HandleSet set;
    std::set<uint64_t> model;
    for (int step = 0; step < 4000; ++step) {
      uint64_t value = 1 + random.below(200);
      if (random.below(2)) {
        set.insert(handle(value));
        model.insert(value);
      } else {
        set.erase(handle(value));
        model.erase(value);
      }
      ASSERT_EQ(set.size(), model.size());
    }
    for (uint64_t value = 1; value <= 200; ++value) ASSERT_EQ(set.contains(handle(value)), model.contains(value));
  }
}

}  // namespace
}  // namespace umd
