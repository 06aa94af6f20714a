#include "softgpu/hw/engine.h"

#include <gtest/gtest.h>

#include <cstring>

#include "softgpu/hw/testing/card.h"

namespace softgpu {
namespace {

using EngineTest = CardTest;

TEST_F(EngineTest, WorkTakesTime) {
  card.submit(kCopy, row({fill(local(kFree), 1 << 20, 0xABCD), fence(1)}));
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_RUNNING);
  card.run(10'000);  // 65 µs are needed
  EXPECT_EQ(card.fence_of(kCopy), 0u);
  EXPECT_EQ(card.peek(kFree, 4), 0xCCCCCCCCu);
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_RING_HEAD), 0u);
  card.run(100'000);
  EXPECT_EQ(card.fence_of(kCopy), 1u);
  EXPECT_EQ(card.peek(kFree + (1 << 20) - 4, 4), 0xABCDu);
  EXPECT_EQ(card.peek(kFree + (1 << 20), 4), 0xCCCCCCCCu);
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_IDLE);
  EXPECT_EQ(card.host.wake, kNever);
}

TEST_F(EngineTest, AFenceIsInMemoryBeforeItInterrupts) {
  card.control(kCopy, SOFTGPU_CONTROL_RESET);
  card.start(kCopy, bus(FakeHost::kRam + 64));
  card.submit(kCopy, row({fence(7), fence(8)}));
  while (!card.host.raised) card.run_until(card.host.wake);
  uint64_t written = 0;
  std::memcpy(&written, card.host.ram(64), 8);
  EXPECT_EQ(written, 7u);
  EXPECT_EQ(card.fence_of(kCopy), 7u);
  EXPECT_EQ(card.take_interrupts(), SOFTGPU_INT_FENCE(kCopy));
  card.run_all();
  EXPECT_EQ(card.take_interrupts(), SOFTGPU_INT_FENCE(kCopy));
  EXPECT_EQ(card.fence_of(kCopy), 8u);
  EXPECT_EQ(card.host.interrupts, 2);
}

TEST_F(EngineTest, EnginesRunSideBySide) {
  card.submit(kRender, row({fill(local(kFree), 1 << 20, 1), fence(1)}));
  card.submit(kCopy, row({nop(), fence(2)}));
  card.run(1'000);
  EXPECT_EQ(card.fence_of(kRender), 0u);
  EXPECT_EQ(card.fence_of(kCopy), 2u);
}

TEST_F(EngineTest, CopiesBetweenLocalAndSystemMemory) {
  for (size_t i = 0; i < 10'000; ++i) *card.host.ram(i) = static_cast<uint8_t>(i * 7);
  card.submit(kCopy, row({copy(bus(FakeHost::kRam + 3), local(kFree + 5), 9'000),
                          copy(local(kFree + 5), bus(FakeHost::kRam + 0x8001), 9'000), fence(1)}));
  card.run_all();
  ASSERT_EQ(card.fence_of(kCopy), 1u);
  EXPECT_EQ(std::memcmp(card.host.ram(3), card.host.ram(0x8001), 9'000), 0);
}

TEST_F(EngineTest, CopiesToAndFromListsOfPages) {
  constexpr uint64_t kRam = FakeHost::kRam;
  for (size_t i = 0; i < 0x3000; ++i) card.poke(kFree + i, i * 5 & 0xFF, 1);
  Qwords pages = {bus(kRam + 0x7000), bus(kRam + 0x2000), bus(kRam + 0x5000)};
  card.submit(kCopy, row({copy_pages(local(kFree), 0x2000, 0x800, pages, SOFTGPU_FLAG_TO_PAGES),
                          copy_pages(local(kFree + 0x4000), 0x2000, 0x800, pages), fence(1)}));
  card.run_all();
  ASSERT_EQ(card.fence_of(kCopy), 1u);
  EXPECT_EQ(*card.host.ram(0x7800), card.peek(kFree, 1));
  EXPECT_EQ(*card.host.ram(0x2000), card.peek(kFree + 0x800, 1));
  EXPECT_EQ(*card.host.ram(0x57FF), card.peek(kFree + 0x1FFF, 1));
  EXPECT_EQ(*card.host.ram(0x5800), 0);
  for (size_t i = 0; i < 0x2000; ++i) ASSERT_EQ(card.peek(kFree + i, 1), card.peek(kFree + 0x4000 + i, 1)) << i;
}

TEST_F(EngineTest, ReachesTheAperture) {
  card.poke(kFree, softgpu_aperture_entry(FakeHost::kRam + 0x3000));
  card.set64(SOFTGPU_REG_APERTURE_BASE, local(kFree));
  card.set(SOFTGPU_REG_APERTURE_ENTRIES, 2);
  card.submit(kCopy, row({write_ptes(local(kFree + 8), {softgpu_aperture_entry(FakeHost::kRam)}),
                          fill(aperture(0xFFE), 4, 0x04030201), fence(1)}));
  card.run_all();
  ASSERT_EQ(card.fence_of(kCopy), 1u);
  EXPECT_EQ(*card.host.ram(0x3FFE), 1);
  EXPECT_EQ(*card.host.ram(0x3FFF), 2);
  EXPECT_EQ(*card.host.ram(0), 3);
  EXPECT_EQ(*card.host.ram(1), 4);
}

TEST_F(EngineTest, OneEngineWaitsForAnother) {
  card.poke(kFree, 0);
  card.submit(kRender, row({wait(local(kFree), 5), fence(1)}));
  card.run(50'000);
  EXPECT_EQ(card.state(kRender), SOFTGPU_STATE_WAITING);
  EXPECT_GT(card.get(kRender, SOFTGPU_ENGINE_POLLS), 0u);
  card.submit(kCopy, row({signal(local(kFree), 4), signal(local(kFree), 6, SOFTGPU_FLAG_INTERRUPT)}));
  card.run(1'000);  // at once, whatever the next poll would have been
  EXPECT_EQ(card.fence_of(kRender), 1u);
  EXPECT_TRUE(card.take_interrupts() & SOFTGPU_INT_SIGNAL(kCopy));
}

TEST_F(EngineTest, SignalsCanBeNarrow) {
  card.poke(kFree, 0x1111'1111'1111'1111);
  card.submit(kCopy, signal(local(kFree + 4), 0x9999'9999'0000'0005, SOFTGPU_FLAG_32BIT));
  card.run_all();
  EXPECT_EQ(card.peek(kFree), 0x0000'0005'1111'1111u);
}

TEST_F(EngineTest, AWaitSeesWhatTheProcessorWrites) {
  card.submit(kRender, row({wait(bus(FakeHost::kRam), 9, SOFTGPU_FLAG_EQUAL | SOFTGPU_FLAG_32BIT), fence(1)}));
  card.run(10'000'000);
  EXPECT_EQ(card.state(kRender), SOFTGPU_STATE_WAITING);
  EXPECT_LT(card.get(kRender, SOFTGPU_ENGINE_POLLS), 200u);
  uint64_t value = 0xFFFF'0000'0009;
  std::memcpy(card.host.ram(0), &value, 8);
  card.run(200'000);
  EXPECT_EQ(card.fence_of(kRender), 1u);
}

TEST_F(EngineTest, TimestampsAreTheTimeOfThePacket) {
  card.submit(kRender,
              row({timestamp(local(kFree)), fill(local(kFree + 64), 1 << 16, 0), timestamp(local(kFree + 8))}));
  uint64_t before = card.get64(SOFTGPU_REG_TIME);
  card.run_all();
  EXPECT_GT(card.peek(kFree), before);
  EXPECT_GE(card.peek(kFree + 8), card.peek(kFree) + (1 << 16) / 16);
  EXPECT_LE(card.peek(kFree + 8), card.get64(SOFTGPU_REG_TIME));
}

// However late the host calls step(), the result is that of calling it in time.
TEST_F(EngineTest, ALateStepChangesNothing) {
  Card late;
  late.start_all();
  for (Card* one : {&card, &late}) {
    one->poke(kFree, 0);
    one->submit(kRender, row({wait(local(kFree), 1), timestamp(local(kFree + 8)), fence(1)}));
    one->submit(kCopy, row({fill(local(kFree + 64), 1 << 14, 3), signal(local(kFree), 1), fence(1)}));
  }
  card.run(1'000'000);
  late.host.now += 1'000'000;
  late.device.step(late.host.now);
  EXPECT_EQ(late.peek(kFree + 8), card.peek(kFree + 8));
  EXPECT_EQ(late.fence_of(kRender), 1u);
  EXPECT_EQ(late.get(kRender, SOFTGPU_ENGINE_POLLS), card.get(kRender, SOFTGPU_ENGINE_POLLS));
}

TEST_F(EngineTest, CountsPacketsByFence) {
  uint64_t bytes = card.put(kFree, row({nop(), nop()}));
  card.submit(kCopy, row({nop(), fence(10), indirect(local(kFree), bytes), fence(11)}));
  card.run_all();
  auto logged = [&](uint32_t slot) { return SOFTGPU_REG_ENGINE(kCopy) + SOFTGPU_ENGINE_FENCE_LOG(slot); };
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_FENCES), 2u);
  EXPECT_EQ(card.get64(logged(0) + SOFTGPU_FENCE_LOG_VALUE), 10u);
  EXPECT_EQ(card.get(logged(0) + SOFTGPU_FENCE_LOG_PACKETS), 2u);
  EXPECT_EQ(card.get64(logged(1) + SOFTGPU_FENCE_LOG_VALUE), 11u);
  EXPECT_EQ(card.get(logged(1) + SOFTGPU_FENCE_LOG_PACKETS), 4u);
}

TEST_F(EngineTest, ADisabledEngineKeepsItsPlace) {
  card.submit(kCopy, row({fill(local(kFree), 1 << 20, 1), fence(1)}));
  card.run(1'000);
  card.control(kCopy, SOFTGPU_CONTROL_DISABLE);
  card.run(1'000'000);
  EXPECT_EQ(card.fence_of(kCopy), 0u);
  EXPECT_EQ(card.peek(kFree, 4), 0xCCCCCCCCu);
  card.control(kCopy, SOFTGPU_CONTROL_ENABLE);
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 1u);
}

TEST_F(EngineTest, ANewRingBeginsAtItsOwnPackets) {
  uint64_t bytes = card.put(kFree, row({fill(local(kFree + 0x1000), 1 << 20, 1), fence(1)}));
  card.submit(kCopy, indirect(local(kFree), bytes));
  card.run(1'000);
  card.control(kCopy, SOFTGPU_CONTROL_DISABLE);
  card.set(kCopy, SOFTGPU_ENGINE_RING_HEAD, card.get(kCopy, SOFTGPU_ENGINE_RING_TAIL));
  card.control(kCopy, SOFTGPU_CONTROL_ENABLE);
  card.submit(kCopy, fence(2));
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 2u);
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_FENCES), 1u);
}

TEST_F(EngineTest, TheRingIsFixedWhileTheEngineIsEnabled) {
  card.set(kCopy, SOFTGPU_ENGINE_RING_SIZE, 8192);
  card.set64(kCopy, SOFTGPU_ENGINE_RING_BASE, 0);
  card.set(kCopy, SOFTGPU_ENGINE_RING_HEAD, 8);
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_RING_SIZE), Card::kRingBytes);
  EXPECT_EQ(card.get64(kCopy, SOFTGPU_ENGINE_RING_BASE), local(Card::ring(kCopy)));
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_RING_HEAD), 0u);
}

// --- Virtual addresses ---

class VirtualTest : public CardTest {
 protected:
  static constexpr uint32_t kVmid = 2;
  static constexpr uint64_t kTables = kFree, kData = kFree + 0x10'0000;

  // Maps the first 512 pages of the space to kData, with entries written by the copy engine.
  VirtualTest() {
    Qwords stream;
    auto add = [&](const Qwords& more) { stream.insert(stream.end(), more.begin(), more.end()); };
    for (uint64_t i = 0; i < 3; ++i)
      add(row({repeat_pte(local(kTables + i * 4096), 0, 512),
               write_ptes(local(kTables + i * 4096), {table_entry(i + 1)})}));
    for (uint64_t first = 0; first < 512; first += 128) {
      Qwords entries;
      for (uint64_t page = first; page < first + 128; ++page) entries.push_back(page_entry(page));
      uint64_t bytes = card.put(kFree + 0x8000 + first * 16, write_ptes(leaf(first), entries));
      add(indirect(local(kFree + 0x8000 + first * 16), bytes));
    }
    add(row({set_root(kVmid, local(kTables), 1), tlb_flush(kVmid), fence(1)}));
    card.submit(kCopy, stream);
    card.run_all();
  }
  static uint64_t table_entry(uint64_t index) {
    return softgpu_pte(SOFTGPU_SEGMENT_LOCAL, (kTables >> 12) + index, SOFTGPU_PTE_VALID);
  }
  static uint64_t page_entry(uint64_t page, uint64_t flags = 0) {
    return softgpu_pte(SOFTGPU_SEGMENT_LOCAL, (kData >> 12) + page, SOFTGPU_PTE_VALID | flags);
  }
  static uint64_t leaf(uint64_t page) { return local(kTables + 3 * 4096 + 8 * page); }
  // Runs packets as a user's buffer at virtual address 0x10'0000.
  void run_as_user(const Qwords& packets, uint64_t fence_value) {
    uint64_t bytes = card.put(kData + 0x10'0000, packets);
    card.submit(kRender, row({indirect(0x10'0000, bytes, kVmid, SOFTGPU_FLAG_UNPRIVILEGED), fence(fence_value)}));
    card.run_all();
  }
};

TEST_F(VirtualTest, AUserComputes) {
  ASSERT_EQ(card.fence_of(kCopy), 1u);
  run_as_user(row({fill(0x1000, 4096, 3), fill(0x2000, 4096, 4),
                   kernel(SOFTGPU_KERNEL_ADD, 0x1000, 0x2000, 0x3000, 1024), signal(0x8000, 1)}),
              1);
  ASSERT_EQ(card.fence_of(kRender), 1u);
  EXPECT_EQ(card.peek(kData + 0x3FFC, 4), 7u);
  EXPECT_EQ(card.peek(kData + 0x8000), 1u);
  EXPECT_GT(card.get(SOFTGPU_REG_TLB_HITS), 0u);
}

TEST_F(VirtualTest, AUserReachesOnlyItsOwnAddresses) {
  for (const Qwords& bad : {fill(local(0), 8, 0), fence(9), write_ptes(0, {1}), tlb_flush(kVmid), set_root(0, 0, 0),
                            indirect(local(0), 8, kVmid), indirect(0, 8, kVmid + 1)}) {
    run_as_user(bad, 2);
    EXPECT_EQ(card.fault_kind(kRender), SOFTGPU_FAULT_PRIVILEGE) << (bad[0] & 0xFF);
    EXPECT_EQ(card.get(kRender, SOFTGPU_ENGINE_FAULT_VMID), kVmid);
    EXPECT_EQ(card.fence_of(kRender), 0u);
    card.control(kRender, SOFTGPU_CONTROL_RESET);
    card.start(kRender);
  }
}

TEST_F(VirtualTest, AnUnflushedChangeGoesUnseen) {
  run_as_user(fill(0x1000, 8, 1), 1);
  card.submit(kCopy, row({write_ptes(leaf(1), {page_entry(50)}), fence(2)}));
  card.run_all();
  run_as_user(fill(0x1000, 8, 2), 2);
  EXPECT_EQ(card.peek(kData + 0x1000, 4), 2u);
  EXPECT_EQ(card.peek(kData + 50 * 4096, 4), 0xCCCCCCCCu);
  card.submit(kCopy, row({tlb_flush(kVmid, 0x1000, 4096), fence(3)}));
  card.run_all();
  run_as_user(fill(0x1000, 8, 3), 3);
  EXPECT_EQ(card.peek(kData + 50 * 4096, 4), 3u);
}

TEST_F(VirtualTest, CommandsAreNotFetchedFromData) {
  card.submit(kCopy, row({write_ptes(leaf(0x100), {page_entry(0x100, SOFTGPU_PTE_NOEXEC)}), fence(2)}));
  card.run_all();
  run_as_user(nop(), 1);
  EXPECT_EQ(card.get(kRender, SOFTGPU_ENGINE_FAULT_STATUS), SOFTGPU_FAULT_NO_EXECUTE | SOFTGPU_FAULT_EXECUTE);
  EXPECT_EQ(card.get64(kRender, SOFTGPU_ENGINE_FAULT_ADDRESS), 0x10'0000u);
}

TEST_F(VirtualTest, ARingCanBeVirtual) {
  card.control(kRender, SOFTGPU_CONTROL_RESET);
  card.set64(kRender, SOFTGPU_ENGINE_RING_BASE, 0x20'0000 - 0x2000);
  card.set(kRender, SOFTGPU_ENGINE_RING_SIZE, 4096);
  card.set(kRender, SOFTGPU_ENGINE_RING_VMID, kVmid);
  card.set64(kRender, SOFTGPU_ENGINE_FENCE_ADDRESS, 0x1000);
  uint64_t bytes = card.put(kData + 0x20'0000 - 0x2000, fence(77));
  card.set(kRender, SOFTGPU_ENGINE_RING_TAIL, static_cast<uint32_t>(bytes));
  card.control(kRender, SOFTGPU_CONTROL_ENABLE);
  card.run_all();
  EXPECT_EQ(card.fence_of(kRender), 77u);
  EXPECT_EQ(card.peek(kData + 0x1000), 77u);
}

}  // namespace
}  // namespace softgpu
