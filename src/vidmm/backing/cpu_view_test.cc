#include "vidmm/backing/cpu_view.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "base/align.h"
#include "base/scoped.h"
#include "vidmm/backing/backing.h"

namespace vidmm {
namespace {

class CpuViewTest : public ::testing::Test {
 protected:
  static base::ScopedFd file_of(uint64_t pages) {
    base::ScopedFd file;
    file.reset(memfd_create("test", MFD_CLOEXEC));
    EXPECT_EQ(ftruncate(file.get(), static_cast<off_t>(pages * base::kPageBytes)), 0);
    return file;
  }
  static void put(const base::ScopedFd& file, uint64_t offset, uint64_t value) {
    EXPECT_EQ(pwrite(file.get(), &value, sizeof(value), static_cast<off_t>(offset)), 8);
  }
  static uint64_t get(const base::ScopedFd& file, uint64_t offset) {
    uint64_t value = 0;
    EXPECT_EQ(pread(file.get(), &value, sizeof(value), static_cast<off_t>(offset)), 8);
    return value;
  }
  static FilePart part(const base::ScopedFd& file, uint64_t page, uint64_t pages) {
    return {file.get(), page * base::kPageBytes, pages * base::kPageBytes};
  }

  base::ScopedFd first = file_of(8), second = file_of(8);
};

TEST_F(CpuViewTest, TheAddressStaysAndTheBytesChange) {
  auto view = CpuView::reserve(2 * base::kPageBytes).take();
  EXPECT_FALSE(view->shown());
  FilePart whole = part(first, 3, 2);
  ASSERT_TRUE(view->show({&whole, 1}).ok());
  view->words()[0] = 1;
  view->words()[base::kPageBytes / 8] = 2;
  EXPECT_EQ(get(first, 3 * base::kPageBytes), 1u);
  EXPECT_EQ(get(first, 4 * base::kPageBytes), 2u);
  put(second, 0, 3);
  put(second, 7 * base::kPageBytes, 4);
  void* before = view->address();
  const FilePart pieces[] = {part(second, 7, 1), part(second, 0, 1)};
  ASSERT_TRUE(view->show(pieces).ok());
  EXPECT_EQ(view->address(), before);
  EXPECT_EQ(view->words()[0], 4u);
  EXPECT_EQ(view->words()[base::kPageBytes / 8], 3u);
}

TEST_F(CpuViewTest, WhatIsHiddenFaults) {
  auto view = CpuView::reserve(base::kPageBytes).take();
  FilePart whole = part(first, 0, 1);
  ASSERT_TRUE(view->show({&whole, 1}).ok());
  view->hide();
  EXPECT_FALSE(view->shown());
  EXPECT_DEATH(*static_cast<volatile uint64_t*>(view->address()) = 1, "");
}

TEST_F(CpuViewTest, WhatCannotBeShownIsRefused) {
  auto view = CpuView::reserve(2 * base::kPageBytes).take();
  const FilePart pieces[] = {part(first, 0, 1), {-1, 0, base::kPageBytes}};
  EXPECT_EQ(view->show(pieces).status(), STATUS_NO_MEMORY);
  EXPECT_FALSE(view->shown());
}

TEST_F(CpuViewTest, ABackingIsPagesOfAFile) {
  Backing backing;
  auto* bytes = static_cast<uint64_t*>(backing.map(3 * base::kPageBytes).take());
  FilePart file = backing.file();
  EXPECT_EQ(file.bytes, 3 * base::kPageBytes);
  auto view = CpuView::reserve(3 * base::kPageBytes).take();
  ASSERT_TRUE(view->show({&file, 1}).ok());
  view->words()[700] = 5;
  EXPECT_EQ(bytes[700], 5u);
  backing.decommit();
  EXPECT_EQ(view->words()[700], 0u);
}

// A copy that goes by while a program writes: what it wrote is there afterwards, before and after the change.
TEST_F(CpuViewTest, WritesDuringACopyAreCarriedOver) {
  FilePart from = part(first, 0, 1), to = part(second, 0, 1);
  put(first, 0, 0x1111111111111111);
  put(first, 8, 1);
  put(first, 16, 1);
  put(first, 24, 1);
  auto writes = WritesUnderway::begin({&from, 1}, base::kPageBytes).take();
  put(first, 16, 2);                   // before the copy comes there
  put(second, 0, 0x1111111111111111);  // the copy
  put(second, 8, 9);                   // the copy is wrong here, and that must be seen
  put(second, 16, 2);
  put(second, 24, 1);
  put(first, 0, 0x1111222211111111);  // after it
  put(first, 16, 3);
  ASSERT_TRUE(writes->arrived({&to, 1}).ok());
  put(first, 24, 4);
  put(first, 0, 0x5511222211111111);
  const uint8_t newer = 0xFF;  // by the new address
  EXPECT_EQ(pwrite(second.get(), &newer, 1, 0), 1);
  writes->carry_over();
  EXPECT_EQ(get(second, 0), 0x55112222111111FFu);
  EXPECT_EQ(get(second, 8), 9u);
  EXPECT_EQ(get(second, 16), 3u);
  EXPECT_EQ(get(second, 24), 4u);
}

// Another thread writes all the time while the bytes move to and fro.
TEST_F(CpuViewTest, AThreadThatWritesLosesNothing) {
  constexpr uint64_t kPages = 4, kWords = kPages * base::kPageBytes / 8;
  auto view = CpuView::reserve(kPages * base::kPageBytes).take();
  FilePart sides[] = {part(first, 0, kPages), part(second, 2, kPages)};
  ASSERT_TRUE(view->show({&sides[0], 1}).ok());
  std::atomic<bool> done{false};
  std::thread writer([&] {
    auto* words = static_cast<volatile uint64_t*>(view->address());
    for (uint64_t round = 0; round < 200; ++round) {
      for (uint64_t i = round % 7; i < kWords; i += 7) words[i] = round + 1;
    }
    done = true;
  });
  auto copy = [&](const FilePart& from, const FilePart& to) {
    std::vector<char> bytes(from.bytes);
    EXPECT_EQ(pread(from.file, bytes.data(), bytes.size(), static_cast<off_t>(from.offset)),
              static_cast<ssize_t>(bytes.size()));
    EXPECT_EQ(pwrite(to.file, bytes.data(), bytes.size(), static_cast<off_t>(to.offset)),
              static_cast<ssize_t>(bytes.size()));
  };
  size_t at = 0, moves = 0;
  while (!done) {
    const FilePart &from = sides[at], &to = sides[1 - at];
    auto writes = WritesUnderway::begin({&from, 1}, from.bytes).take();
    copy(from, to);
    ASSERT_TRUE(writes->arrived({&to, 1}).ok());
    ASSERT_TRUE(view->show({&to, 1}).ok());
    writes->carry_over();
    at = 1 - at;
    ++moves;
  }
  writer.join();
  for (uint64_t i = 0; i < kWords; ++i) {
    uint64_t last = 199 - (199 - i % 7) % 7;
    ASSERT_EQ(view->words()[i], last + 1) << "word " << i << " after " << moves << " moves";
  }
}

}  // namespace
}  // namespace vidmm
