#include "vidmm/backing/backing_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/align.h"
#include "base/sanitizer.h"

namespace vidmm {
namespace {

bool readable(const void* address) {
  char byte;
  iovec to{&byte, 1}, from{const_cast<void*>(address), 1};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(maps), {}, '\n'));
}

size_t memory_in(const BackingSlab& slab) {
  struct stat found {};
  EXPECT_EQ(fstat(slab.file.get(), &found), 0);
  return static_cast<size_t>(found.st_blocks) * 512;
}

// As a pointer kept too long does, without AddressSanitizer's knowledge.
NO_SANITIZE void write_past_sanitizer(char* at, char value) { *static_cast<volatile char*>(at) = value; }

// Cells of the local pool until none is guarded any more; given back at the end.
struct Unguarded {
  explicit Unguarded(BackingPool& pool) : pool(pool) {
    for (size_t i = 0; i < BackingPool::kMostGuarded; ++i) cells.push_back(pool.take(base::kPageBytes).take());
  }
  ~Unguarded() {
    for (BackingCell cell : cells) pool.give(cell, base::kPageBytes);
  }
  BackingPool& pool;
  std::vector<BackingCell> cells;
};

// 1,024 descriptors and 65,530 mappings are what a Linux process has if nothing else was said.
TEST(BackingPool, HoldsMoreCellsThanDescriptorsAndMappings) {
  constexpr size_t kCells = 200'000;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  size_t mappings_before = mappings();
  {
    BackingPool pool;
    std::vector<BackingCell> cells;
    cells.reserve(kCells);
    for (size_t i = 0; i < kCells; ++i) {
      base::Result<BackingCell> cell = pool.take(base::kPageBytes);
      ASSERT_TRUE(cell.ok()) << i;
      cells.push_back(cell.value());
    }
    EXPECT_EQ(pool.taken(), kCells);
    EXPECT_LT(pool.slab_count(), 16u);
    EXPECT_LT(mappings() - mappings_before, 2 * BackingPool::kMostGuarded + 100);
    for (size_t i : {size_t{0}, BackingPool::kMostGuarded - 1, BackingPool::kMostGuarded, kCells - 1}) {
      EXPECT_EQ(cells[i].address[base::kPageBytes - 1], 0);
      cells[i].address[base::kPageBytes - 1] = 1;
    }
    for (BackingCell cell : cells) pool.give(cell, base::kPageBytes);
    EXPECT_EQ(pool.taken(), 0u);
    EXPECT_LE(pool.slab_count(), 2u);
  }
  EXPECT_LT(mappings(), mappings_before + 100);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(BackingPool, GuardsWhatLiesBehindACellAndWhatWasGivenBack) {
  BackingPool pool;
  for (uint64_t bytes :
       {uint64_t{1}, base::kPageBytes, 5 * base::kPageBytes, 9 * base::kPageBytes + 1, uint64_t{3} << 20}) {
    uint64_t whole = base::round_up(bytes, base::kPageBytes);
    BackingCell first = pool.take(bytes).take(), second = pool.take(bytes).take();
    EXPECT_GT(second.address, first.address);
    EXPECT_TRUE(readable(first.address + whole - 1)) << bytes;
    EXPECT_FALSE(readable(first.address + whole)) << bytes;
    pool.give(first, bytes);
    EXPECT_FALSE(readable(first.address)) << bytes;
    EXPECT_TRUE(readable(second.address)) << bytes;
    BackingCell third = pool.take(bytes).take();
    EXPECT_NE(third.address, first.address) << "a pointer kept too long would meet the next that is taken";
    pool.give(second, bytes);
    pool.give(third, bytes);
  }
}

TEST(BackingPool, PoisonsWhatItCannotGuard) {
  BackingPool pool;
  Unguarded unguarded(pool);
  BackingCell cell = pool.take(2 * base::kPageBytes).take();
  ASSERT_FALSE(cell.slab->guarded);
  cell.address[2 * base::kPageBytes - 1] = 1;
#if DRYDOCK_ASAN
  EXPECT_FALSE(__asan_address_is_poisoned(cell.address));
  EXPECT_TRUE(__asan_address_is_poisoned(cell.address + 2 * base::kPageBytes));
#endif
  pool.give(cell, 2 * base::kPageBytes);
#if DRYDOCK_ASAN
  EXPECT_TRUE(__asan_address_is_poisoned(cell.address));
  EXPECT_TRUE(__asan_address_is_poisoned(cell.address + 2 * base::kPageBytes - 1));
#endif
}

TEST(BackingPool, GivesTheMemoryBackToTheSystem) {
  BackingPool pool;
  constexpr uint64_t kBytes = 64 * base::kPageBytes;
  BackingCell cell = pool.take(kBytes).take();
  std::memset(cell.address, 1, kBytes);
  EXPECT_EQ(memory_in(*cell.slab), kBytes);
  BackingPool::zero(cell, kBytes);
  EXPECT_EQ(memory_in(*cell.slab), 0u);
  EXPECT_EQ(cell.address[kBytes - 1], 0);
  std::memset(cell.address, 1, kBytes);
  pool.give(cell, kBytes);
  EXPECT_EQ(memory_in(*cell.slab), 0u);
}

TEST(BackingPool, GivesZeroAlthoughAPointerWasKeptTooLong) {
  BackingPool pool;
  Unguarded unguarded(pool);
  BackingCell cell = pool.take(base::kPageBytes).take();
  ASSERT_FALSE(cell.slab->guarded);
  pool.give(cell, base::kPageBytes);
  write_past_sanitizer(cell.address, 7);
  BackingCell again = pool.take(base::kPageBytes).take();
  ASSERT_EQ(again.address, cell.address);
  EXPECT_EQ(again.address[0], 0);
  pool.give(again, base::kPageBytes);
}

TEST(BackingPool, LeavesItsParentsMemoryToTheParent) {
  BackingPool& pool = BackingPool::instance();
  BackingCell ours = pool.take(base::kPageBytes).take();
  ours.address[0] = 7;
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    BackingCell own = pool.take(base::kPageBytes).take();
    bool apart = own.slab != ours.slab && own.address[0] == 0;
    pool.give(ours, base::kPageBytes);
    pool.give(own, base::kPageBytes);
    _exit(apart ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ours.address[0], 7);
  pool.give(ours, base::kPageBytes);
}

TEST(BackingPool, SaysNoToMoreThanThereIs) {
  BackingPool pool;
  EXPECT_EQ(pool.take(uint64_t{1} << 62).status(), STATUS_NO_MEMORY);
  EXPECT_EQ(pool.take(UINT64_MAX).status(), STATUS_NO_MEMORY);
  EXPECT_EQ(pool.taken(), 0u);
}

}  // namespace
}  // namespace vidmm
