#include <set>

#include "base/align.h"
#include "base/rng.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/physical_windows.h"
#include "nt/testing/machine_fixture.h"
#include "nt/testing/physical_address.h"
#include "trace/testing.h"

namespace nt {
namespace {

constexpr ULONG kTag = 0x74736554;  // "Test"

using Strings = std::vector<std::string>;

uint64_t physical(void* address) { return static_cast<uint64_t>(MmGetPhysicalAddress(address).QuadPart); }

class ContiguousTest : public MachineTest {
 protected:
  static void* allocate(size_t bytes, uint64_t low = 0, uint64_t high = UINT64_MAX, uint64_t boundary = 0) {
    return MmAllocateContiguousMemorySpecifyCache(bytes, at(low), at(high), at(boundary), MmCached);
  }
};

TEST(PhysicalWindows, TheyAreABijection) {
  std::set<uint64_t> seen;
  for (const PhysicalWindow& window : kPhysicalWindows) {
    for (size_t page = 0; page < 64; ++page) {
      uintptr_t address = window.region.base + page * base::kPageBytes + 5;
      uint64_t physical = *physical_in_windows(address);
      EXPECT_EQ(*address_in_windows(physical), address);
      EXPECT_TRUE(seen.insert(physical).second);
    }
    EXPECT_TRUE(physical_in_windows(window.region.end() - 1));
  }
  EXPECT_FALSE(address_in_windows(0xF000'0000));
  EXPECT_FALSE(address_in_windows(kOtherPagesAt));
  EXPECT_FALSE(physical_in_windows(kRegisterArena.base));
}

TEST_F(ContiguousTest, IsPageAlignedAndContiguous) {
  run([&] {
    auto* block = static_cast<char*>(allocate(3 * PAGE_SIZE + 1));
    EXPECT_EQ(physical(block) % PAGE_SIZE, 0u);
    for (uint64_t offset : {1, 4096, 8192, 12288}) EXPECT_EQ(physical(block + offset), physical(block) + offset);
    EXPECT_EQ(machine().physical().address(physical(block) + 4097), reinterpret_cast<uintptr_t>(block) + 4097);
    RtlFillMemory(block, 3 * PAGE_SIZE + 1, 1);
    MmFreeContiguousMemory(block);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(ContiguousTest, ComesFromHighMemoryUnlessItMustNot) {
  run([&] {
    void* any = allocate(PAGE_SIZE);
    void* low = allocate(PAGE_SIZE, 0, 0xFFFF'FFFF);
    void* isa = allocate(PAGE_SIZE, 0, 0xFF'FFFF);
    EXPECT_GE(physical(any), uint64_t{1} << 32);
    EXPECT_LT(physical(low), uint64_t{1} << 32);
    EXPECT_LE(physical(isa) + PAGE_SIZE - 1, 0xFF'FFFFu);
    EXPECT_GE(physical(isa), kFirstMegabyte);
    for (void* block : {any, low, isa}) MmFreeContiguousMemory(block);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(ContiguousTest, WhatCannotBeIsNull) {
  run([&] {
    EXPECT_EQ(allocate(0), nullptr);
    EXPECT_EQ(allocate(PAGE_SIZE, 0, PAGE_SIZE - 1), nullptr);        // below the first megabyte
    EXPECT_EQ(allocate(PAGE_SIZE, 3 * kGiB, 4 * kGiB - 1), nullptr);  // devices'
    EXPECT_EQ(allocate(32 << 20, 0, 0xFF'FFFF), nullptr);             // 32 MiB below 16
    EXPECT_EQ(allocate(0x20000, 0, UINT64_MAX, 0x10000), nullptr);    // larger than its boundary
    EXPECT_EQ(allocate(PAGE_SIZE, 0, UINT64_MAX, 0x3000), nullptr);   // no power of two
    EXPECT_EQ(allocate(size_t{1} << 40), nullptr);
    observer.failing_allocations = 1;
    EXPECT_EQ(allocate(PAGE_SIZE), nullptr);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(ContiguousTest, NodesAndProtectionsAreTakenAsDocumented) {
  run([&] {
    auto node = [](ULONG protect) {
      return MmAllocateContiguousNodeMemory(PAGE_SIZE, at(0), at(UINT64_MAX), at(0), protect, MM_ANY_NODE_OK);
    };
    EXPECT_EQ(node(PAGE_READONLY), nullptr);
    EXPECT_EQ(node(PAGE_READWRITE | PAGE_EXECUTE_READWRITE), nullptr);
    EXPECT_EQ(node(PAGE_READWRITE | PAGE_NOCACHE | PAGE_WRITECOMBINE), nullptr);
    MmFreeContiguousMemorySpecifyCache(node(PAGE_READWRITE), PAGE_SIZE, MmCached);
    MmFreeContiguousMemorySpecifyCache(node(PAGE_EXECUTE_READWRITE | PAGE_NOCACHE), PAGE_SIZE, MmNonCached);
    MmFreeContiguousMemorySpecifyCache(node(PAGE_READWRITE | PAGE_WRITECOMBINE), PAGE_SIZE, MmWriteCombined);
    MmFreeContiguousMemory(
        MmAllocateContiguousMemorySpecifyCacheNode(PAGE_SIZE, at(0), at(UINT64_MAX), at(0), MmCached, 0));
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(ContiguousTest, AddressesAreTheSameInEveryRun) {
  std::vector<uint64_t> runs[2];
  for (auto& addresses : runs) {
    run([&] {
      int local = 0;
      static int global;
      void* pool = ExAllocatePool2(POOL_FLAG_NON_PAGED, 100, kTag);
      void* block = allocate(PAGE_SIZE);
      for (void* each : {pool, block, static_cast<void*>(&local), static_cast<void*>(&global)}) {
        addresses.push_back(physical(each) / PAGE_SIZE);
      }
      EXPECT_EQ(physical(&global) / PAGE_SIZE, addresses.back());
      MmFreeContiguousMemory(block);
      ExFreePool(pool);
    });
  }
  EXPECT_EQ(runs[0], runs[1]);
  for (uint64_t address : runs[0]) EXPECT_NE(address, 0u);
}

TEST_F(ContiguousTest, WhatIsNoAddressHasNone) {
  run([&] {
    EXPECT_EQ(physical(nullptr), 0u);
    void* pool = ExAllocatePool2(POOL_FLAG_NON_PAGED, 100, kTag);
    ExFreePool(pool);
    EXPECT_EQ(physical(pool), 0u);
    EXPECT_FALSE(MmIsAddressValid(reinterpret_cast<void*>(kRamArena.base)));
    void* block = allocate(PAGE_SIZE);
    EXPECT_TRUE(MmIsAddressValid(block));
    MmFreeContiguousMemory(block);
    EXPECT_FALSE(MmIsAddressValid(block));
  });
}

TEST_F(ContiguousTest, ALeakIsFound) {
  run_to_stop([&] {
    allocate(PAGE_SIZE);
    EXPECT_EQ(machine().end_scope(machine().root_scope()), 1u);
  });
  ASSERT_EQ(broken(), Strings{"Leak"});
}

TEST_F(ContiguousTest, WrongFreesAreFound) {
  observer.then = Then::GoOn;
  run([&] {
    auto* block = static_cast<char*>(allocate(2 * PAGE_SIZE));
    MmFreeContiguousMemory(block + PAGE_SIZE);
    MmFreeContiguousMemory(block);
    MmFreeContiguousMemory(block);
    MmFreeContiguousMemory(&observer);
    MmFreeContiguousMemorySpecifyCache(allocate(PAGE_SIZE), 2 * PAGE_SIZE, MmCached);
    MmFreeContiguousMemorySpecifyCache(allocate(PAGE_SIZE), PAGE_SIZE, MmNonCached);
  });
  EXPECT_EQ(broken(), Strings(5, "ContiguousMismatch"));
}

// ASan would stop the write itself.
__attribute__((no_sanitize("address"))) void spoil(char* byte) { *byte = 1; }

TEST_F(ContiguousTest, AnOverrunIsFoundWhenItIsFreed) {
  run_to_stop([&] {
    auto* block = static_cast<char*>(allocate(100));
    spoil(block + 100);
    MmFreeContiguousMemory(block);
  });
  ASSERT_EQ(broken(), Strings{"PoolOverrun"});
  EXPECT_EQ(observer.violations[0].sentence, "1 byte(s) past the end of the 100-byte contiguous block 1 were written");
}

TEST_F(ContiguousTest, ManyBlocksWithLimitsKeepApart) {
  uint64_t seed = trace::test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  run([&] {
    base::Rng random(seed);
    std::vector<std::pair<char*, size_t>> live;
    for (int step = 0; step < 2000; ++step) {
      if (random.chance(1, 2) && !live.empty()) {
        size_t victim = random.below(live.size());
        auto [block, bytes] = live[victim];
        for (size_t i = 0; i < bytes; i += 997) ASSERT_EQ(block[i], static_cast<char>(bytes));
        MmFreeContiguousMemory(block);
        live.erase(live.begin() + static_cast<ptrdiff_t>(victim));
        continue;
      }
      size_t bytes = 1 + random.below(20000);
      uint64_t boundary = random.chance(1, 3) ? 0x8000 : 0;
      uint64_t high = random.chance(1, 2) ? UINT64_MAX : 0xFF'FFFF;
      auto* block = static_cast<char*>(allocate(bytes, 0, high, boundary));
      if (!block) continue;
      ASSERT_LE(physical(block) + bytes - 1, high);
      if (boundary) {
        ASSERT_EQ(physical(block) / boundary, (physical(block) + bytes - 1) / boundary);
      }
      RtlFillMemory(block, bytes, static_cast<char>(bytes));
      live.emplace_back(block, bytes);
    }
    for (auto [block, bytes] : live) MmFreeContiguousMemory(block);
  });
  EXPECT_TRUE(broken().empty());
}

}  // namespace
}  // namespace nt
