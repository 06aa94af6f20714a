#include "nt/mm/pool.h"

#include <sys/resource.h>

#include <cstring>
#include <map>

#include "base/rng.h"
#include "base/sanitizer.h"
#include "nt/ke/dispatcher.h"
#include "nt/mm/address_space.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

constexpr uint32_t kMill = 0x6C6C694D;  // 'lliM' in a driver's source, "Mill" in a pool dump

// Writes where a driver must not, unseen by the sanitizer: as a driver that was not instrumented would.
NO_SANITIZE void write_at(void* block, ptrdiff_t offset, uint8_t value) {
  static_cast<volatile uint8_t*>(block)[offset] = value;
}

class PoolTest : public MachineTest {
 protected:
  PoolTest() { observer.then = Then::GoOn; }

  void* allocate(size_t bytes, uint32_t tag = kMill, PoolFill fill = PoolFill::Zero) {
    return machine().pool().allocate(bytes, tag, PoolKind::NonPaged, fill);
  }
  void free(void* block, uint32_t tag = kMill) { machine().pool().free(block, tag, "ExFreePoolWithTag"); }
  // Enough frees that whatever was kept back before leaves.
  void flush() {
    for (int i = 0; i < 1024; ++i) free(allocate(1));
  }
  std::string sentence(size_t i = 0) const {
    return i < observer.violations.size() ? observer.violations[i].sentence : "";
  }
  std::vector<std::string> roles(size_t i = 0) const {
    std::vector<std::string> names;
    for (const RoleStack& stack : observer.violations.at(i).stacks) names.push_back(stack.role);
    return names;
  }
};

using Strings = std::vector<std::string>;

TEST_F(PoolTest, BlocksAreAlignedAndDoNotCrossPages) {
  run([&] {
    for (size_t bytes = 0; bytes < 3 * 4096; bytes += bytes < 256 ? 1 : 13) {
      auto address = reinterpret_cast<uintptr_t>(allocate(bytes));
      ASSERT_TRUE(kPoolArena.contains(address));
      ASSERT_EQ(address % 16, 0u) << bytes;
      ASSERT_TRUE(bytes < 4096 || address % 4096 == 0) << bytes;
      ASSERT_TRUE(bytes == 0 || bytes > 4096 || address / 4096 == (address + bytes - 1) / 4096) << bytes;
    }
  });
}

TEST_F(PoolTest, BlocksNeverOverlap) {
  constexpr uint64_t kSeed = 20;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  run([&] {
    base::Rng rng(kSeed);
    std::map<uintptr_t, size_t> live;
    for (int step = 0; step < 4000; ++step) {
      if (live.size() > 200 || (!live.empty() && rng.below(3) == 0)) {
        auto victim = std::next(live.begin(), static_cast<ptrdiff_t>(rng.below(live.size())));
        free(reinterpret_cast<void*>(victim->first));
        live.erase(victim);
        continue;
      }
      size_t bytes = rng.below(size_t{1} << (1 + rng.below(18)));
      void* block = allocate(bytes);
      for (size_t i = 0; i < bytes; i += 1 + bytes / 97) ASSERT_EQ(static_cast<uint8_t*>(block)[i], 0);
      std::memset(block, 0xAA, bytes);
      auto address = reinterpret_cast<uintptr_t>(block);
      auto after = live.lower_bound(address);
      ASSERT_TRUE(after == live.end() || address + bytes + 16 <= after->first);
      ASSERT_TRUE(after == live.begin() || std::prev(after)->first + std::prev(after)->second + 16 <= address);
      live[address] = bytes;
    }
    EXPECT_EQ(machine().pool().stats().live_blocks, live.size());
    for (auto [address, bytes] : live) free(reinterpret_cast<void*>(address));
    EXPECT_EQ(machine().pool().stats().live_bytes, 0u);
    machine().pool().check_all();
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(PoolTest, EqualRunsGetEqualAddresses) {
  std::vector<void*> runs[2];
  for (auto& addresses : runs) {
    run([&] {
      for (size_t bytes : {1u, 40u, 4000u, 4080u, 5000u, 1u << 20, 40u}) addresses.push_back(allocate(bytes));
      free(addresses[1]);
      flush();
      for (int i = 0; i < 200; ++i) addresses.push_back(allocate(40));
    });
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST_F(PoolTest, FillIsZeroOrRecognisable) {
  run([&] {
    for (size_t bytes : {100u, 6000u, 300000u}) {
      auto* zero = static_cast<uint8_t*>(allocate(bytes));
      auto* fresh = static_cast<uint8_t*>(allocate(bytes, kMill, PoolFill::Pattern));
      EXPECT_EQ(zero[0] | zero[bytes - 1], 0);
      EXPECT_EQ(fresh[0], 0xCD);
      EXPECT_EQ(fresh[bytes - 1], 0xCD);
    }
  });
}

// A big block's pages are given back when it is freed; the next owner of the cell may be larger or smaller.
TEST_F(PoolTest, ABigCellIsZeroEachTime) {
  run([&] {
    for (size_t bytes : {70000u, 81000u, 70001u, 80000u}) {
      auto* block = static_cast<uint8_t*>(allocate(bytes));
      for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], 0) << i << " of " << bytes;
      std::memset(block, 0xAA, bytes);
      free(block);
      flush();
    }
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(PoolTest, AGigabyteCostsNothingUntilItIsTouched) {
  if (base::kSanitizer != base::Sanitizer::None) GTEST_SKIP() << "shadow memory costs what it costs";
  run([&] {
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    auto* block = static_cast<uint8_t*>(allocate(kGiB));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block[0] | block[kGiB - 1], 0);
    free(block);
    getrusage(RUSAGE_SELF, &after);
    EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 16 * 1024);
  });
}

TEST_F(PoolTest, WhatDoesNotFitIsNull) {
  run([&] {
    EXPECT_EQ(allocate(kPoolArena.bytes), nullptr);
    EXPECT_EQ(allocate(SIZE_MAX), nullptr);
    EXPECT_NE(allocate(64), nullptr);
  });
}

TEST_F(PoolTest, KeptBlocksAreReleasedWhenTheArenaIsFull) {
  if (base::kSanitizer != base::Sanitizer::None) GTEST_SKIP() << "the shadow of terabytes is gigabytes";
  run([&] {
    for (int i = 0; i < 40; ++i) {
      void* block = allocate(3 * kGiB);
      ASSERT_NE(block, nullptr) << i;
      free(block);
    }
  });
}

TEST_F(PoolTest, TheObserverCanFailAnAllocation) {
  observer.failing_allocations = 1;
  run([&] {
    EXPECT_EQ(allocate(64), nullptr);
    EXPECT_NE(allocate(64), nullptr);
  });
}

TEST_F(PoolTest, AnOverrunIsSeenWhenTheBlockIsFreed) {
  run([&] {
    void* block = allocate(41);
    write_at(block, 41 + 2, 7);
    free(block);
  });
  EXPECT_EQ(broken(), Strings{"PoolOverrun"});
  EXPECT_EQ(sentence(), "3 byte(s) past the end of the 41-byte pool block 1 with tag 'Mill' were written");
  EXPECT_EQ(roles(), (Strings{"here", "allocated", "freed"}));
}

TEST_F(PoolTest, AnUnderrunIsSeenWhenTheBlockIsFreed) {
  run([&] {
    for (size_t bytes : {40u, 5000u, 200000u}) {
      void* block = allocate(bytes);
      write_at(block, -4, 7);
      free(block);
    }
  });
  EXPECT_EQ(broken(), (Strings{"PoolOverrun", "PoolOverrun", "PoolOverrun"}));
  EXPECT_EQ(sentence(), "4 byte(s) before the 40-byte pool block 1 with tag 'Mill' were written");
}

TEST_F(PoolTest, EveryGuardByteIsWatched) {
  size_t expected = 0;
  run([&] {
    for (size_t bytes : {0u, 1u, 31u, 100u, 4064u, 4095u, 4096u, 9000u, 300000u}) {
      for (ptrdiff_t offset : {-16, -1, 0, 15}) {
        void* block = allocate(bytes);
        write_at(block, offset < 0 ? offset : static_cast<ptrdiff_t>(bytes) + offset, 7);
        machine().pool().check_all();
        EXPECT_EQ(observer.violations.size(), ++expected) << bytes << ' ' << offset;
        free(block);
      }
    }
  });
  EXPECT_EQ(observer.violations.size(), expected) << "a damage is told once";
}

TEST_F(PoolTest, AWriteAfterFreeIsSeenWhenTheBlockIsReused) {
  run([&] {
    void* block = allocate(40);
    free(block);
    write_at(block, 8, 7);
    flush();
  });
  EXPECT_EQ(broken(), Strings{"PoolUseAfterFree"});
  EXPECT_EQ(sentence(), "byte 8 of the 40-byte pool block 1 with tag 'Mill' was written after it was freed");
  EXPECT_EQ(roles(), (Strings{"here", "allocated", "freed"}));
}

TEST_F(PoolTest, AWriteAfterFreeIsSeenAtTheEnd) {
  run([&] {
    for (size_t bytes : {40u, 5000u}) {
      void* block = allocate(bytes);
      free(block);
      write_at(block, 8, 7);
    }
    machine().pool().check_all();
    machine().pool().check_all();
  });
  EXPECT_EQ(broken(), (Strings{"PoolUseAfterFree", "PoolUseAfterFree"}));
}

TEST_F(PoolTest, FreeingWhatIsNoBlock) {
  run([&] {
    char on_stack = 0;
    static char global = 0;
    char* block = static_cast<char*>(allocate(40));
    free(nullptr);
    free(&on_stack);
    free(&global);
    free(reinterpret_cast<void*>(kPoolArena.base + kGiB));
    free(block + 24);
    free(block);
  });
  EXPECT_EQ(broken(), Strings(5, "PoolFreeInvalid"));
  EXPECT_EQ(sentence(0), "ExFreePoolWithTag was given NULL");
  EXPECT_EQ(sentence(1), "ExFreePoolWithTag was given an address on a stack");
  EXPECT_EQ(sentence(2), "ExFreePoolWithTag was given an address that is not of pool");
  EXPECT_EQ(sentence(3), "ExFreePoolWithTag was given an address of pool that was never allocated");
  EXPECT_EQ(sentence(4),
            "ExFreePoolWithTag was given an address 24 byte(s) inside the 40-byte pool block 1 with tag 'Mill'");
}

TEST_F(PoolTest, ADoubleFreeReportsBothStacks) {
  run([&] {
    void* block = allocate(40);
    free(block);
    free(block);
    flush();
    free(block);
  });
  EXPECT_EQ(broken(), (Strings{"PoolFreeInvalid", "PoolFreeInvalid"}));
  EXPECT_EQ(sentence(), "ExFreePoolWithTag was given the 40-byte pool block 1 with tag 'Mill', which was freed before");
  EXPECT_EQ(roles(0), (Strings{"here", "allocated", "freed"}));
  EXPECT_EQ(roles(1), (Strings{"here", "allocated", "freed"}));
  for (const RoleStack& stack : observer.violations.at(0).stacks) EXPECT_GT(stack.stack.count, 0u) << stack.role;
}

TEST_F(PoolTest, ATagMustBeTheOneItWasAllocatedWith) {
  run([&] {
    free(allocate(40), 0x6E6F4D);
    free(allocate(40), 0);
    EXPECT_EQ(machine().pool().stats().live_blocks, 0u);
  });
  EXPECT_EQ(broken(), Strings{"PoolTagMismatch"});
  EXPECT_EQ(sentence(), "ExFreePoolWithTag was called for the 40-byte pool block 1 with tag 'Mill' with tag 'Mon'");
}

TEST_F(PoolTest, FreeingMemoryWithAWaiterInIt) {
  run([&] {
    auto* event = static_cast<KEVENT*>(allocate(sizeof(KEVENT)));
    machine().dispatcher().initialise(event, sizeof(*event), ObjectType::SynchronizationEvent, 0);
    machine().create_thread("waiter", [&] {
      void* object = event;
      machine().dispatcher().wait({&object, 1}, WaitAny, base::kForever);
    });
    while (!machine().threads().back()->waiting) machine().executor().yield(base::Point::Yield);
    free(event);
  });
  EXPECT_EQ(broken(), Strings{"FreedLiveWaiter"});
}

TEST_F(PoolTest, ABlockBelongsToTheScopeItWasObtainedIn) {
  run([&] {
    Scope scope(ScopeKind::Device, "camera", nullptr);
    machine().self().scope = &scope;
    void* first = allocate(40);
    allocate(48);
    free(first);
    EXPECT_EQ(scope.count(), 1u);
    machine().self().scope = &machine().root_scope();
    EXPECT_EQ(machine().end_scope(scope), 1u);
  });
  EXPECT_EQ(broken(), Strings{"Leak"});
}

TEST_F(PoolTest, TheMachinesOwnBlocksAreNotTheDrivers) {
  run([&] {
    Pool& pool = machine().pool();
    void* own = pool.allocate(40, 0, PoolKind::Internal, PoolFill::Zero);
    EXPECT_EQ(pool.stats().total_allocations, 0u);
    free(own, 0);
    pool.free(own, 0);
  });
  EXPECT_EQ(broken(), Strings{"PoolFreeInvalid"});
  EXPECT_EQ(sentence(), "ExFreePoolWithTag was given an object of the machine, which is not pool");
}

TEST_F(PoolTest, FindKnowsLiveAndFreedBlocks) {
  run([&] {
    Pool& pool = machine().pool();
    for (size_t bytes : {40u, 5000u, 300000u}) {
      void* block = allocate(bytes);
      auto address = reinterpret_cast<uintptr_t>(block);
      for (uintptr_t inside : {address - 16, address, address + bytes - 1, address + bytes + 15}) {
        std::optional<PoolBlockInfo> info = pool.find(inside);
        ASSERT_TRUE(info) << bytes << ' ' << inside - address;
        EXPECT_EQ(info->address, address);
        EXPECT_EQ(info->bytes, bytes);
        EXPECT_FALSE(info->freed);
      }
      free(block);
      ASSERT_TRUE(pool.find(address));
      EXPECT_TRUE(pool.find(address)->freed);
      EXPECT_NE(pool.find(address)->freed_at, 0u);
    }
    EXPECT_FALSE(pool.find(0));
    EXPECT_FALSE(pool.find(kPoolArena.base + kGiB));
    EXPECT_FALSE(pool.find(kPoolArena.end()));
  });
}

TEST_F(PoolTest, StatsCountTheDriversBytes) {
  run([&] {
    void* first = allocate(100);
    allocate(50);
    free(first);
    Pool::Stats stats = machine().pool().stats();
    EXPECT_EQ(stats.live_blocks, 1u);
    EXPECT_EQ(stats.live_bytes, 50u);
    EXPECT_EQ(stats.peak_bytes, 150u);
    EXPECT_EQ(stats.total_allocations, 2u);
  });
}

#if DRYDOCK_ASAN
using PoolDeathTest = PoolTest;

TEST_F(PoolDeathTest, TheSanitizerSeesEachWrongAccessAtOnce) {
  run([&] {
    for (size_t bytes : {41u, 4096u, 300000u}) {
      auto* block = static_cast<volatile char*>(allocate(bytes));
      EXPECT_DEATH(block[bytes] = 1, "use-after-poison");
      EXPECT_DEATH(block[-1] = 1, "use-after-poison");
      block[bytes - 1] = 1;
      free(const_cast<char*>(block));
      EXPECT_DEATH(block[bytes - 1] = 1, "use-after-poison");
    }
  });
}

TEST_F(PoolDeathTest, BlocksOfAnEarlierMachineAreGone) {
  volatile char* block = nullptr;
  run([&] { block = static_cast<volatile char*>(allocate(40)); });
  EXPECT_DEATH(block[0] = 1, "use-after-poison");
}
#endif

}  // namespace
}  // namespace nt
