#include "kmt/client/scratch.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace kmt {
namespace {

TEST(Scratch, SmallOnesLieInside) {
  Scratch<uint32_t, 8> scratch;
  ASSERT_TRUE(scratch.make(8).ok());
  auto at = reinterpret_cast<uintptr_t>(scratch.data());
  auto self = reinterpret_cast<uintptr_t>(&scratch);
  EXPECT_TRUE(at >= self && at < self + sizeof(scratch));
  EXPECT_EQ(scratch.size(), 8u);
}

TEST(Scratch, LargeOnesLieOutside) {
  Scratch<uint32_t, 8> scratch;
  ASSERT_TRUE(scratch.make(1000).ok());
  auto at = reinterpret_cast<uintptr_t>(scratch.data());
  auto self = reinterpret_cast<uintptr_t>(&scratch);
  EXPECT_FALSE(at >= self && at < self + sizeof(scratch));
  for (uint32_t& value : scratch) value = 7;
  EXPECT_EQ(scratch[999], 7u);
}

TEST(Scratch, TooLargeOnesAreRefused) {
  Scratch<uint32_t, 8> scratch;
  EXPECT_EQ(scratch.make(kMaxScratchBytes / sizeof(uint32_t) + 1).status(), STATUS_NO_MEMORY);
  EXPECT_EQ(scratch.make(~size_t{0}).status(), STATUS_NO_MEMORY);
  EXPECT_EQ(scratch.size(), 0u);
}

}  // namespace
}  // namespace kmt
