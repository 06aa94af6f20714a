#include "base/roster.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/testing/seed.h"

namespace base {
namespace {

TEST(Roster, IsLikeAVectorInTheOrderOfArrival) {
  uint64_t seed = seed_for_test(5);
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  Rng rng(seed);
  std::vector<int> things(600);
  Roster<int> roster;
  std::vector<int*> plain;
  for (int step = 0; step < 20'000; ++step) {
    int* thing = &things[rng.below(things.size())];
    bool there = std::find(plain.begin(), plain.end(), thing) != plain.end();
    // Long times of growing and of shrinking.
    bool grows = step / 2500 % 2 == 0;
    if (!there && rng.below(4) < (grows ? 3 : 1)) {
      roster.push_back(thing);
      plain.push_back(thing);
    } else if (rng.below(4) < (grows ? 1 : 3)) {
      if (!plain.empty() && rng.below(2) == 0) thing = plain.front();
      roster.erase(thing);
      std::erase(plain, thing);
    }
    ASSERT_EQ(roster.size(), plain.size());
    ASSERT_EQ(roster.empty(), plain.empty());
    if (!plain.empty()) ASSERT_EQ(roster.front(), plain.front());
    if (step % 7 != 0) continue;
    std::vector<int*> walked;
    for (int* each : roster) walked.push_back(each);
    ASSERT_EQ(walked, plain);
  }
}

}  // namespace
}  // namespace base
