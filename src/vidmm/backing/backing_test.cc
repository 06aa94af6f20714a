#include "vidmm/backing/backing.h"

#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

namespace vidmm {
namespace {

bool readable(const void* address) {
  char byte;
  iovec to{&byte, 1}, from{const_cast<void*>(address), 1};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

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

TEST(Backing, FaultsOnceItHasGone) {
  Backing backing;
  void* where = backing.map(4096).take();
  EXPECT_TRUE(readable(where));
  backing.drop();
  EXPECT_FALSE(backing.mapped());
  EXPECT_FALSE(readable(where));
}

TEST(Backing, IsZeroAndStaysWhereItIsWhenItsMemoryGoes) {
  Backing backing;
  auto* bytes = static_cast<unsigned char*>(backing.map(8192).take());
  bytes[4096] = 7;
  backing.decommit();
  EXPECT_EQ(bytes[4096], 0);
  EXPECT_EQ(backing.map(8192).value(), bytes);
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
