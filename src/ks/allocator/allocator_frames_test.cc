#include "ks/allocator/allocator_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"

namespace ks {
namespace {

using testing::ElementsAre;

TEST(AllocatorFramesTest, WhatOverlapsIsNamedAndKeptOut) {
  AllocatorFrames frames(100);
  EXPECT_EQ(frames.insert(1000), 0u);
  EXPECT_EQ(frames.insert(1000), 1000u);
  EXPECT_EQ(frames.insert(1099), 1000u);
  EXPECT_EQ(frames.insert(901), 1000u);
  EXPECT_EQ(frames.insert(900), 0u);
  EXPECT_EQ(frames.insert(1100), 0u);
  EXPECT_EQ(frames.count(), 3u);
  EXPECT_THAT(frames.in_order(), ElementsAre(1000, 900, 1100));
  EXPECT_TRUE(frames.validate());
}

TEST(AllocatorFramesTest, OnlyTheBeginningOfAFrameIsTheFrame) {
  AllocatorFrames frames(100);
  frames.insert(1000);
  EXPECT_FALSE(frames.erase(1001));
  EXPECT_FALSE(frames.erase(0));
  EXPECT_FALSE(frames.contains(0));
  EXPECT_TRUE(frames.erase(1000));
  EXPECT_FALSE(frames.erase(1000));
}

TEST(AllocatorFramesTest, AnUnknownSizeIsOneByte) {
  AllocatorFrames frames(0);
  EXPECT_EQ(frames.insert(7), 0u);
  EXPECT_EQ(frames.insert(8), 0u);
  EXPECT_EQ(frames.insert(7), 7u);
}

// Against an ordered map, with sizes and distances that make neighbours, clusters and equal hashes.
TEST(AllocatorFramesTest, AgreesWithAModel) {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Rng rng(seed);
    const uint64_t bytes = uint64_t{1} << rng.below(14);
    const uint64_t apart = seed % 2 ? bytes : std::max<uint64_t>(bytes / 3, 1);
    AllocatorFrames frames(bytes);
    std::map<uintptr_t, uint64_t> model;
    std::vector<uintptr_t> order;
    for (int step = 0; step < 3000; ++step) {
      uintptr_t frame = 0x10000 + rng.below(700) * apart;
      if (rng.below(5) < 3) {
        auto next = model.upper_bound(frame);
        bool overlaps = (next != model.end() && next->first - frame < bytes) ||
                        (next != model.begin() && frame - std::prev(next)->first < bytes);
        uintptr_t other = frames.insert(frame);
        ASSERT_EQ(other != 0, overlaps);
        if (other) {
          ASSERT_TRUE(model.contains(other));
        } else {
          model[frame] = bytes;
          order.push_back(frame);
        }
      } else {
        ASSERT_EQ(frames.erase(frame), model.erase(frame) == 1);
        std::erase(order, frame);
      }
      ASSERT_TRUE(step % 64 != 0 || frames.validate());
    }
    ASSERT_EQ(frames.in_order(), order);
  }
}

}  // namespace
}  // namespace ks
