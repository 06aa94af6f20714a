#include "dxgk/ddi/guarded_copy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace dxgk {
namespace {

// Whether a byte can be read, asked of the system: reading it would be the end of the test.
bool readable(const uint8_t* byte) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  bool can = write(ends[1], byte, 1) == 1;
  EXPECT_TRUE(can || errno == EFAULT);
  close(ends[0]);
  close(ends[1]);
  return can;
}

TEST(GuardedCopy, TheByteBehindCannotBeRead) {
  for (size_t bytes : {1u, 8u, 700u, 4096u}) {
    std::vector<uint8_t> content(bytes, 0x5A);
    auto* copy = static_cast<uint8_t*>(guarded_copy(3, content));
    EXPECT_EQ(std::memcmp(copy, content.data(), bytes), 0);
    EXPECT_TRUE(readable(copy + bytes - 1));
    EXPECT_FALSE(readable(copy + bytes));
  }
}

TEST(GuardedCopy, EachSlotKeepsItsOwn) {
  std::vector<uint8_t> one(16, 1), two(16, 2);
  auto* first = static_cast<uint8_t*>(guarded_copy(1, one));
  auto* second = static_cast<uint8_t*>(guarded_copy(2, two));
  EXPECT_EQ(*first, 1);
  EXPECT_EQ(*second, 2);
  EXPECT_EQ(guarded_copy(1, one), first);
}

}  // namespace
}  // namespace dxgk
