#include "dxgk/memory/freed_addresses.h"

#include <gtest/gtest.h>

namespace dxgk {
namespace {

using How = FreedAddresses::How;

FreedAddresses::Range range(uint64_t va, uint64_t bytes, How how = How::Freed) { return {va, bytes, how, 7, 0}; }

TEST(FreedAddresses, KnowsOnlyWhatItWasTold) {
  FreedAddresses freed;
  EXPECT_FALSE(freed.find(0, 1));
  freed.add(range(0x1000, 0x2000));
  EXPECT_FALSE(freed.find(0xFFF, 1));
  EXPECT_TRUE(freed.find(0x1000, 1));
  EXPECT_TRUE(freed.find(0x2FFF, 1));
  EXPECT_FALSE(freed.find(0x3000, 1));
}

TEST(FreedAddresses, WhatWasQueuedLaterIsAnotherMatter) {
  FreedAddresses freed;
  freed.add(range(0x1000, 0x1000));
  EXPECT_TRUE(freed.find(0x1000, 7));
  EXPECT_FALSE(freed.find(0x1000, 8));
}

TEST(FreedAddresses, TheLastWordCounts) {
  FreedAddresses freed;
  freed.add(range(0x1000, 0x1000));
  freed.add(range(0x1000, 0x1000, How::PromisedIdle));
  ASSERT_TRUE(freed.find(0x1800, 1));
  EXPECT_EQ(freed.find(0x1800, 1)->how, How::PromisedIdle);
}

TEST(FreedAddresses, ForgetsTheOldest) {
  FreedAddresses freed;
  for (uint64_t i = 0; i < 65; ++i) freed.add(range(i * 0x1000, 0x1000));
  EXPECT_FALSE(freed.find(0, 1));
  EXPECT_TRUE(freed.find(0x1000, 1));
  EXPECT_TRUE(freed.find(64 * 0x1000, 1));
}

}  // namespace
}  // namespace dxgk
