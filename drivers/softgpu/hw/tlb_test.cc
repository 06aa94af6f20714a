#include "softgpu/hw/tlb.h"

#include <gtest/gtest.h>

namespace softgpu {
namespace {

TEST(TlbTest, FindsWhatWasInserted) {
  Tlb tlb;
  EXPECT_FALSE(tlb.find(1, 5));
  tlb.insert(1, 5, {0x5000, SOFTGPU_PTE_READONLY});
  ASSERT_TRUE(tlb.find(1, 5));
  EXPECT_EQ(tlb.find(1, 5)->address, 0x5000u);
  EXPECT_EQ(tlb.find(1, 5)->flags, SOFTGPU_PTE_READONLY);
  EXPECT_FALSE(tlb.find(2, 5));
  EXPECT_EQ(tlb.hits(), 3u);
  EXPECT_EQ(tlb.misses(), 2u);
}

TEST(TlbTest, TheOldestIsPushedOut) {
  Tlb tlb;
  for (uint64_t page = 0; page <= SOFTGPU_TLB_ENTRIES; ++page) tlb.insert(0, page, {});
  EXPECT_FALSE(tlb.find(0, 0));
  EXPECT_TRUE(tlb.find(0, 1));
  EXPECT_TRUE(tlb.find(0, SOFTGPU_TLB_ENTRIES));
}

TEST(TlbTest, FlushesOneSpaceOrAll) {
  Tlb tlb;
  tlb.insert(1, 5, {});
  tlb.insert(2, 5, {});
  tlb.flush(1);
  EXPECT_FALSE(tlb.find(1, 5));
  EXPECT_TRUE(tlb.find(2, 5));
  tlb.flush(SOFTGPU_TLB_ALL);
  EXPECT_FALSE(tlb.find(2, 5));
}

TEST(TlbTest, FlushesARange) {
  Tlb tlb;
  for (uint64_t page = 4; page < 8; ++page) tlb.insert(1, page, {});
  tlb.flush(1, 5, 2);
  EXPECT_TRUE(tlb.find(1, 4));
  EXPECT_FALSE(tlb.find(1, 5));
  EXPECT_FALSE(tlb.find(1, 6));
  EXPECT_TRUE(tlb.find(1, 7));
}

}  // namespace
}  // namespace softgpu
