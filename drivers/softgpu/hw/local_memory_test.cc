#include "softgpu/hw/local_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <numeric>

namespace softgpu {
namespace {

TEST(LocalMemoryTest, IsPoisonUntilItIsWritten) {
  LocalMemory memory;
  uint8_t bytes[3] = {};
  memory.read(SOFTGPU_LOCAL_BYTES - 3, bytes, 3);
  for (uint8_t byte : bytes) EXPECT_EQ(byte, SOFTGPU_LOCAL_POISON);
  EXPECT_EQ(memory.touched_pages(), 0u);
}

TEST(LocalMemoryTest, KeepsWhatCrossesPages) {
  LocalMemory memory;
  std::vector<uint8_t> in(3 * SOFTGPU_PAGE_BYTES), out(in.size());
  std::iota(in.begin(), in.end(), uint8_t{1});
  memory.write(100, in.data(), in.size());
  memory.read(100, out.data(), out.size());
  EXPECT_EQ(in, out);
  EXPECT_EQ(memory.touched_pages(), 4u);
  uint8_t before = 0;
  memory.read(99, &before, 1);
  EXPECT_EQ(before, SOFTGPU_LOCAL_POISON);
}

TEST(LocalMemoryTest, LosesEverythingAtOnce) {
  LocalMemory memory;
  uint32_t value = 7;
  memory.write(4096, &value, 4);
  memory.poison();
  memory.read(4096, &value, 4);
  EXPECT_EQ(value, 0xCCCCCCCCu);
  EXPECT_EQ(memory.touched_pages(), 0u);
}

// Two pages of which one was written: what others map shows both, and what either side writes the other reads.
TEST(LocalMemoryTest, WhatIsLentIsSeenByOthers) {
  constexpr uint64_t kAt = 5 * SOFTGPU_PAGE_BYTES;
  LocalMemory memory;
  uint32_t value = 7;
  memory.write(kAt, &value, 4);
  int file = memory.lend(kAt, 2 * SOFTGPU_PAGE_BYTES);
  ASSERT_GE(file, 0);
  EXPECT_EQ(memory.lend(kAt, SOFTGPU_PAGE_BYTES), file);
  void* mapped = mmap(nullptr, 2 * SOFTGPU_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, kAt);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* words = static_cast<uint32_t*>(mapped);
  constexpr size_t kNextPage = SOFTGPU_PAGE_BYTES / 4;
  EXPECT_EQ(words[0], 7u);
  EXPECT_EQ(words[kNextPage], 0xCCCCCCCCu);
  words[kNextPage] = 8;
  memory.read(kAt + SOFTGPU_PAGE_BYTES, &value, 4);
  EXPECT_EQ(value, 8u);
  value = 9;
  memory.write(kAt, &value, 4);
  EXPECT_EQ(words[0], 9u);
  memory.poison();
  EXPECT_EQ(words[0], 0xCCCCCCCCu);
  memory.write(kAt, &value, 4);
  EXPECT_EQ(words[0], 9u);
  munmap(mapped, 2 * SOFTGPU_PAGE_BYTES);
}

TEST(LocalMemoryTest, ContainsNothingBeyondItsEnd) {
  EXPECT_TRUE(LocalMemory::contains(SOFTGPU_LOCAL_BYTES - 8, 8));
  EXPECT_FALSE(LocalMemory::contains(SOFTGPU_LOCAL_BYTES - 8, 9));
  EXPECT_FALSE(LocalMemory::contains(UINT64_MAX, 2));
  EXPECT_FALSE(LocalMemory::contains(8, UINT64_MAX));
}

}  // namespace
}  // namespace softgpu
