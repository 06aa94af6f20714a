#include "ob/closed_shadow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <thread>
#include <vector>

#include "base/rng.h"

namespace ob {
namespace {

TEST(ClosedShadowTest, RemembersTheClosingThreadAndHowLongAgo) {
  ClosedShadow shadow(8);
  shadow.record(0x40000040, {.stack = 31, .thread = 7});
  shadow.record(0x40000080, {.stack = 32, .thread = 8});
  auto found = shadow.find(0x40000040);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->site.stack, 31u);
  EXPECT_EQ(found->site.thread, 7u);
  EXPECT_EQ(found->closes_ago, 1u);
  EXPECT_EQ(shadow.find(0x40000080)->closes_ago, 0u);
  EXPECT_FALSE(shadow.find(0));  // an empty place is no record of the handle zero
}

TEST(ClosedShadowTest, TheLatestCloseOfAValueCounts) {
  ClosedShadow shadow(8);
  shadow.record(4, {.stack = 1, .thread = 1});
  shadow.record(4, {.stack = 2, .thread = 2});
  EXPECT_EQ(shadow.find(4)->site.stack, 2u);
}

TEST(ClosedShadowTest, RemembersExactlyTheLastRound) {
  constexpr uint64_t kSeed = 0x0b02;
  SCOPED_TRACE(kSeed);
  base::Rng rng(kSeed);
  ClosedShadow shadow(16);
  std::deque<uint64_t> oracle;  // newest first
  for (uint32_t step = 1; step <= 500; ++step) {
    uint64_t handle = 4 * (1 + rng.below(40));
    shadow.record(handle, {.stack = step, .thread = 1});
    oracle.push_front(handle);
    if (oracle.size() > 16) oracle.pop_back();
    ASSERT_TRUE(shadow.validate());
    for (uint64_t asked = 4; asked <= 160; asked += 4) {
      auto found = shadow.find(asked);
      auto expected = std::find(oracle.begin(), oracle.end(), asked);
      ASSERT_EQ(found.has_value(), expected != oracle.end());
      if (!found) continue;
      ASSERT_EQ(found->closes_ago, static_cast<uint64_t>(expected - oracle.begin()));
      ASSERT_EQ(found->site.stack, step - found->closes_ago);
    }
  }
}

TEST(ClosedShadowTest, WhatIsFoundUnderConcurrentClosesBelongsTogether) {
  ClosedShadow shadow(8);
  std::vector<std::thread> writers;
  for (uint32_t writer = 1; writer <= 3; ++writer) {
    writers.emplace_back([&shadow, writer] {
      for (uint32_t i = 0; i < 20'000; ++i) shadow.record(i % 16, {.stack = i % 16, .thread = writer});
    });
  }
  for (uint32_t i = 0; i < 20'000; ++i) {
    auto found = shadow.find(i % 16);
    if (found) {
      ASSERT_EQ(found->site.stack, i % 16);
    }
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_TRUE(shadow.validate());
}

}  // namespace
}  // namespace ob
