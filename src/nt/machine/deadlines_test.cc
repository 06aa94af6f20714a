#include "nt/machine/deadlines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace nt {
namespace {

struct Waiter {
  Deadline deadline;
};

// Against a plain list, with random additions and removals.
TEST(DeadlinesTest, TheEarliestIsFirstAndOfEqualOnesTheOldest) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Rng rng(seed);
    std::vector<Waiter> waiters(40);
    std::vector<Waiter*> model;  // in the order in which they came
    Deadlines<Waiter> deadlines;
    for (int step = 0; step < 500; ++step) {
      Waiter& waiter = waiters[rng.below(waiters.size())];
      if (std::erase(model, &waiter)) {
        deadlines.remove(waiter);
      } else {
        deadlines.add(waiter, rng.below(10));
        model.push_back(&waiter);
      }
      ASSERT_EQ(deadlines.size(), model.size());
      if (model.empty()) continue;
      auto first = std::min_element(model.begin(), model.end(),
                                    [](Waiter* a, Waiter* b) { return a->deadline.at < b->deadline.at; });
      ASSERT_EQ(&deadlines.first(), *first);
    }
    while (!model.empty()) {
      auto first = std::min_element(model.begin(), model.end(),
                                    [](Waiter* a, Waiter* b) { return a->deadline.at < b->deadline.at; });
      ASSERT_EQ(&deadlines.first(), *first);
      deadlines.remove(deadlines.first());
      model.erase(first);
    }
    EXPECT_TRUE(deadlines.empty());
  }
}

TEST(DeadlinesTest, WhatIsNotInItCanBeRemoved) {
  Waiter waiter;
  Deadlines<Waiter> deadlines;
  deadlines.remove(waiter);
  deadlines.add(waiter, 5);
  deadlines.remove(waiter);
  deadlines.remove(waiter);
  EXPECT_TRUE(deadlines.empty());
}

}  // namespace
}  // namespace nt
