#include "dxgk/sync/fence_memory.h"

#include <optional>
#include <set>
#include <vector>

#include "nt/mm/physical_memory.h"
#include "nt/testing/machine_fixture.h"

namespace dxgk::testing {
namespace {

constexpr uint32_t kA = 8, kB = 12;  // processes
constexpr size_t kPerPage = 4096 / sizeof(uint64_t);

class FenceMemoryTest : public nt::MachineTest {
 protected:
  void run_memory(const std::function<void(FenceMemory&)>& body) {
    run([&] {
      auto memory = base::make_ref<FenceMemory>(machine());
      body(*memory);
    });
    EXPECT_TRUE(observer.violations.empty());
  }
};

TEST_F(FenceMemoryTest, ADeviceWritesTheWordByItsPhysicalAddress) {
  run_memory([&](FenceMemory& memory) {
    FenceSlot first = memory.take(kA).take(), second = memory.take(kA).take();
    *first.word() = *second.word() = 0;
    uint64_t value = 0x123456789abcdef0;
    EXPECT_EQ(machine().physical().write(second.page_physical() + second.offset(), &value, sizeof(value)), "");
    EXPECT_EQ(*second.word(), value);
    EXPECT_EQ(*first.word(), 0u);
    EXPECT_EQ(second.page_physical() % 4096, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(second.word()) % 4096, second.offset());
  });
}

TEST_F(FenceMemoryTest, NoTwoFencesShareAWord) {
  run_memory([&](FenceMemory& memory) {
    std::vector<FenceSlot> slots;
    std::set<uint64_t*> words;
    for (size_t i = 0; i < 2 * kPerPage + 1; ++i) {
      slots.push_back(memory.take(kA).take());
      words.insert(slots.back().word());
    }
    EXPECT_EQ(words.size(), slots.size());
    EXPECT_EQ(memory.page_count(), 3u);
  });
}

TEST_F(FenceMemoryTest, NoTwoProcessesShareAPage) {
  run_memory([&](FenceMemory& memory) {
    FenceSlot a = memory.take(kA).take(), b = memory.take(kB).take(), again = memory.take(kA).take();
    EXPECT_NE(a.page_physical(), b.page_physical());
    EXPECT_EQ(a.page_physical(), again.page_physical());
  });
}

TEST_F(FenceMemoryTest, WhatIsGivenBackIsGivenOutAgain) {
  run_memory([&](FenceMemory& memory) {
    FenceSlot stays = memory.take(kA).take();
    uint64_t* word;
    {
      FenceSlot gone = memory.take(kA).take();
      FenceSlot moved = std::move(gone);  // given back once
      word = moved.word();
    }
    EXPECT_EQ(memory.take(kA).take().word(), word);
    { std::optional<FenceSlot> all = memory.take(kB).take(); }
    EXPECT_EQ(memory.page_count(), 2u);
    EXPECT_NE(memory.take(16).take().page_physical(), stays.page_physical());
    EXPECT_EQ(memory.page_count(), 2u);  // the empty one serves the next process
  });
}

TEST_F(FenceMemoryTest, TheFirstPageWithRoomIsFilledAndTheLastEmptyOneServesTheNextProcess) {
  run_memory([&](FenceMemory& memory) {
    std::vector<std::optional<FenceSlot>> slots(4 * kPerPage);
    for (auto& slot : slots) slot.emplace(memory.take(kA).take());
    uint64_t* third = slots[2 * kPerPage]->word();
    uint64_t* first = slots[0]->word();
    slots[2 * kPerPage].reset();
    slots[0].reset();
    FenceSlot lower = memory.take(kA).take(), higher = memory.take(kA).take();
    EXPECT_EQ(lower.word(), first);
    EXPECT_EQ(higher.word(), third);
    uint64_t page = slots[3 * kPerPage]->page_physical();
    for (size_t i = kPerPage; i < 2 * kPerPage; ++i) slots[i].reset();
    for (size_t i = 3 * kPerPage; i < 4 * kPerPage; ++i) slots[i].reset();
    FenceSlot other = memory.take(kB).take();
    EXPECT_EQ(other.page_physical(), page);
    EXPECT_NE(memory.take(kA).take().page_physical(), page);
    EXPECT_EQ(memory.page_count(), 4u);
  });
}

TEST_F(FenceMemoryTest, SaysSoWhenThereIsNone) {
  run_memory([&](FenceMemory& memory) {
    observer.failing_allocations = 1;
    EXPECT_EQ(memory.take(kA).status(), STATUS_NO_MEMORY);
    EXPECT_TRUE(memory.take(kA).ok());
  });
}

// The kernel's own: no driver is found to have leaked it.
TEST_F(FenceMemoryTest, IsInNoScopeOfTheDriver) {
  run_memory([&](FenceMemory& memory) {
    nt::Scope scope(nt::ScopeKind::Driver, "driver", &machine().root_scope());
    machine().self().scope = &scope;
    FenceSlot slot = memory.take(kA).take();
    EXPECT_EQ(scope.count(), 0u);
    machine().self().scope = &machine().root_scope();
    EXPECT_EQ(machine().end_scope(scope), 0u);
  });
}

}  // namespace
}  // namespace dxgk::testing
