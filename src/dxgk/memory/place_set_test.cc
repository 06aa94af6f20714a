#include "dxgk/memory/place_set.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "base/testing/seed.h"

namespace dxgk {
namespace {

TEST(PlaceSet, IsLikeASet) {
  uint64_t seed = base::seed_for_test(3);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  base::Rng rng(seed);
  PlaceSet places;
  std::set<size_t> plain;
  for (int i = 0; i < 20'000; ++i) {
    size_t number = rng.below(rng.below(2) == 0 ? 100 : 20'000);
    if (rng.below(3) == 0) {
      places.insert(number);
      plain.insert(number);
    } else if (rng.below(2) == 0) {
      places.erase(number);
      plain.erase(number);
    } else if (!plain.empty()) {
      number = *plain.begin();
      places.erase(number);
      plain.erase(number);
    }
    ASSERT_EQ(places.contains(number), plain.count(number) != 0);
    ASSERT_EQ(places.size(), plain.size());
    if (!plain.empty()) ASSERT_EQ(places.least(), *plain.begin());
  }
}

}  // namespace
}  // namespace dxgk
