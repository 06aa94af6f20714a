#include "umd/common/lent_buffers.h"

#include <gtest/gtest.h>

namespace umd {
namespace {

constexpr size_t kBytes = 1024;

class LentBuffersTest : public ::testing::Test {
 protected:
  uint8_t kernel_[kBytes] = {};
  LentBuffers buffers_;
};

TEST_F(LentBuffersTest, WhatIsSubmittedReachesTheKernel) {
  uint8_t* lent = buffers_.lend(kernel_, kBytes);
  lent[8] = 42;
  lent[9] = 43;
  buffers_.submit(8, 1);
  EXPECT_EQ(kernel_[8], 42);
  EXPECT_EQ(kernel_[9], 0);
}

TEST_F(LentBuffersTest, TheNextOneIsAnother) {
  uint8_t* first = buffers_.lend(kernel_, kBytes);
  buffers_.submit(0, 16);
  uint8_t* second = buffers_.turn(kernel_, kBytes);
  EXPECT_NE(first, second);
  EXPECT_FALSE(buffers_.written());
  second[0] = 1;
  EXPECT_FALSE(buffers_.written());
}

TEST_F(LentBuffersTest, AWriteToTheOldOneIsSeenOnce) {
  uint8_t* first = buffers_.lend(kernel_, kBytes);
  buffers_.submit(0, 16);
  buffers_.turn(kernel_, kBytes);
  first[20] = 1;
  EXPECT_EQ(buffers_.written(), 20u);
  EXPECT_FALSE(buffers_.written());
}

TEST_F(LentBuffersTest, WhatDoesNotFitIsNotCopied) {
  buffers_.lend(kernel_, kBytes)[kBytes - 1] = 7;
  buffers_.submit(kBytes - 1, 2);
  buffers_.submit(kBytes + 1, 0);
  buffers_.submit(8, ~size_t{0} - 4);
  EXPECT_EQ(kernel_[kBytes - 1], 0);
}

TEST_F(LentBuffersTest, FollowsTheKernelsSize) {
  uint8_t larger[2 * kBytes] = {};
  buffers_.lend(kernel_, kBytes);
  buffers_.submit(0, 8);
  uint8_t* lent = buffers_.turn(larger, sizeof(larger));
  lent[sizeof(larger) - 1] = 9;
  buffers_.submit(sizeof(larger) - 1, 1);
  EXPECT_EQ(larger[sizeof(larger) - 1], 9);
}

}  // namespace
}  // namespace umd
