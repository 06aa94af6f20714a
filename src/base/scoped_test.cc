#include "base/scoped.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <vector>

namespace base {
namespace {

std::vector<int> g_closed;
void record(int value) { g_closed.push_back(value); }
using Recorded = Scoped<int, record, -1>;

class ScopedTest : public testing::Test {
 protected:
  ScopedTest() { g_closed.clear(); }
};

TEST_F(ScopedTest, ClosesOnceAtTheEnd) {
  { Recorded resource(3); }
  EXPECT_EQ(g_closed, std::vector<int>{3});
}

TEST_F(ScopedTest, InvalidIsNeverClosed) {
  {
    Recorded nothing;
    EXPECT_FALSE(nothing);
    Recorded failed(-1);
    EXPECT_FALSE(failed.valid());
  }
  EXPECT_TRUE(g_closed.empty());
}

TEST_F(ScopedTest, MoveTransfers) {
  {
    Recorded first(3);
    Recorded second(std::move(first));
    EXPECT_EQ(second.get(), 3);
    Recorded third(4);
    third = std::move(second);
    EXPECT_EQ(g_closed, std::vector<int>{4});
  }
  EXPECT_EQ(g_closed, (std::vector<int>{4, 3}));
}

TEST_F(ScopedTest, ReleaseGivesUpAndResetReplaces) {
  {
    Recorded resource(3);
    EXPECT_EQ(resource.release(), 3);
    resource.reset(5);
    resource.reset(6);
    EXPECT_EQ(g_closed, std::vector<int>{5});
  }
  EXPECT_EQ(g_closed, (std::vector<int>{5, 6}));
}

TEST(ScopedFd, ClosesTheDescriptor) {
  int number = -1;
  {
    ScopedFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(fd);
    number = fd.get();
    EXPECT_NE(fcntl(number, F_GETFD), -1);
  }
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
}

TEST(ScopedMapping, UnmapsTheBytes) {
  constexpr size_t kBytes = 4096;
  void* address = nullptr;
  {
    ScopedMapping mapping({mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), kBytes});
    address = mapping.get().address;
    ASSERT_NE(address, MAP_FAILED);
    EXPECT_EQ(msync(address, kBytes, MS_ASYNC), 0);
  }
  EXPECT_EQ(msync(address, kBytes, MS_ASYNC), -1);  // ENOMEM: nothing is mapped there
}

}  // namespace
}  // namespace base
