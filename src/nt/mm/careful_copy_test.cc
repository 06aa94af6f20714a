#include "nt/mm/careful_copy.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "base/align.h"
#include "nt/fault/fault.h"

namespace nt {
namespace {

// Two pages of 0x5A and one that is not there.
class CarefulCopyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    install_fault_handlers();
    void* at = mmap(nullptr, 3 * base::kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    base_ = static_cast<uint8_t*>(at);
    std::memset(base_, 0x5A, 3 * base::kPageBytes);
    ASSERT_EQ(mprotect(edge(), base::kPageBytes, PROT_NONE), 0);
  }
  void TearDown() override { munmap(base_, 3 * base::kPageBytes); }
  uint8_t* edge() const { return base_ + 2 * base::kPageBytes; }

  uint8_t* base_ = nullptr;
  uint8_t local_[2 * base::kPageBytes] = {};
};

TEST_F(CarefulCopyTest, ReadsUpToTheEdge) {
  EXPECT_TRUE(careful_read(local_, edge() - 16, 16).ok());
  EXPECT_EQ(local_[15], 0x5A);
  EXPECT_EQ(careful_read(local_, edge() - 16, 17).status(), STATUS_ACCESS_VIOLATION);
  EXPECT_EQ(careful_read(local_, edge() - 400, 401).status(), STATUS_ACCESS_VIOLATION);
  EXPECT_EQ(careful_read(local_, nullptr, 1).status(), STATUS_ACCESS_VIOLATION);
  EXPECT_TRUE(careful_read(local_, nullptr, 0).ok());
}

TEST_F(CarefulCopyTest, WritesAllOrNothing) {
  EXPECT_TRUE(careful_write(edge() - 8, local_, 8).ok());
  EXPECT_EQ(edge()[-1], 0);
  EXPECT_EQ(careful_write(edge() - 2 * base::kPageBytes + 1, local_, 2 * base::kPageBytes).status(),
            STATUS_ACCESS_VIOLATION);
  EXPECT_EQ(edge()[-2 * static_cast<ptrdiff_t>(base::kPageBytes) + 1], 0x5A);
}

TEST_F(CarefulCopyTest, ProbesEveryPage) {
  EXPECT_TRUE(careful_probe_write(edge() - base::kPageBytes - 1, base::kPageBytes + 1).ok());
  EXPECT_EQ(careful_probe_write(edge() - base::kPageBytes - 1, base::kPageBytes + 2).status(), STATUS_ACCESS_VIOLATION);
  EXPECT_EQ(edge()[-1], 0x5A);
  ASSERT_EQ(mprotect(base_, base::kPageBytes, PROT_READ), 0);
  EXPECT_EQ(careful_probe_write(base_, 1).status(), STATUS_ACCESS_VIOLATION);
  EXPECT_TRUE(careful_probe_read(base_, 2 * base::kPageBytes).ok());
  EXPECT_EQ(careful_probe_read(base_, 2 * base::kPageBytes + 1).status(), STATUS_ACCESS_VIOLATION);
  EXPECT_EQ(careful_probe_read(base_, SIZE_MAX).status(), STATUS_ACCESS_VIOLATION);
}

}  // namespace
}  // namespace nt
