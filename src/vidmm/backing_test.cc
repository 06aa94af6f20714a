#include "vidmm/backing.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace vidmm {
namespace {

TEST(Backing, IsMadeAtTheFirstUseAndStaysWhereItIs) {
  Backing backing;
  EXPECT_FALSE(backing.mapped());
  auto first = backing.map(8192);
  ASSERT_TRUE(first.ok());
  auto* bytes = static_cast<unsigned char*>(first.value());
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[8191], 0);
  bytes[8191] = 7;
  EXPECT_EQ(backing.map(8192).value(), bytes);
  EXPECT_EQ(bytes[8191], 7);
}

TEST(Backing, IsUnmappedWhenItGoes) {
  Backing backing;
  void* where = backing.map(4096).take();
  backing.drop();
  EXPECT_FALSE(backing.mapped());
  EXPECT_EQ(msync(where, 4096, MS_ASYNC), -1) << "the page is still mapped";
}

TEST(Backing, LeavesTheClientItsMemory) {
  char memory[64];
  std::memset(memory, 0x5A, sizeof(memory));
  {
    Backing backing;
    backing.use_client_memory(memory);
    EXPECT_TRUE(backing.client_memory());
    EXPECT_EQ(backing.map(64).value(), memory);
  }
  EXPECT_EQ(memory[63], 0x5A);
}

TEST(Backing, SaysNoToMoreThanThereIs) {
  Backing backing;
  auto mapped = backing.map(uint64_t{1} << 62);
  ASSERT_FALSE(mapped.ok());
  EXPECT_EQ(mapped.status(), STATUS_NO_MEMORY);
  EXPECT_FALSE(backing.mapped());
}

}  // namespace
}  // namespace vidmm
