#include "softgpu/hw/device.h"

#include <gtest/gtest.h>

#include "softgpu/hw/testing/card.h"

namespace softgpu {
namespace {

using DeviceTest = CardTest;

TEST_F(DeviceTest, ReportsItsIdentity) {
  EXPECT_EQ(card.get(SOFTGPU_REG_ID), SOFTGPU_ID);
  EXPECT_EQ(card.get(SOFTGPU_REG_VERSION), SOFTGPU_VERSION);
  EXPECT_EQ(card.get(SOFTGPU_REG_FEATURES), SOFTGPU_FEATURES_ALL);
  EXPECT_EQ(card.get(SOFTGPU_REG_ENGINE_COUNT), 2u);
  EXPECT_EQ(card.get(SOFTGPU_REG_VMID_COUNT), 16u);
  EXPECT_EQ(card.get64(SOFTGPU_REG_LOCAL_BYTES), 64u << 20);
  card.set(SOFTGPU_HOOK_FEATURES_OFF, SOFTGPU_FEATURE_MMU);
  EXPECT_EQ(card.get(SOFTGPU_REG_FEATURES), SOFTGPU_FEATURES_ALL & ~SOFTGPU_FEATURE_MMU);
}

TEST_F(DeviceTest, WideRegistersTakeHalves) {
  card.set(SOFTGPU_REG_SCRATCH + 4, 0x1111'2222);
  card.set(SOFTGPU_REG_SCRATCH, 0x3333'4444);
  EXPECT_EQ(card.get64(SOFTGPU_REG_SCRATCH), 0x1111'2222'3333'4444u);
  EXPECT_EQ(card.get(SOFTGPU_REG_SCRATCH), 0x3333'4444u);
  EXPECT_EQ(card.get(SOFTGPU_REG_SCRATCH + 4), 0x1111'2222u);
}

TEST_F(DeviceTest, BadAccessesAreCountedAndDoNothing) {
  uint32_t before = card.get(SOFTGPU_REG_BAD_ACCESSES);
  EXPECT_EQ(card.device.read(0, SOFTGPU_REG_ID, 2), 0u);
  EXPECT_EQ(card.device.read(0, 0xFFF0, 8), 0u);
  EXPECT_EQ(card.device.read(1, 0, 4), 0u);
  card.device.write(0, SOFTGPU_REG_SCRATCH, 1, 5);
  card.device.write(0, 0x0F00, 4, 5);
  card.set(SOFTGPU_REG_ID, 5);  // read-only, but a register
  EXPECT_EQ(card.get(SOFTGPU_REG_BAD_ACCESSES), before + 5);
  EXPECT_EQ(card.get64(SOFTGPU_REG_SCRATCH), 0u);
  EXPECT_EQ(card.get(SOFTGPU_REG_ID), SOFTGPU_ID);
}

TEST_F(DeviceTest, LocalMemoryIsSeenThroughItsBar) {
  card.poke(SOFTGPU_LOCAL_BYTES - 8, 0x0807'0605'0403'0201);
  EXPECT_EQ(card.peek(SOFTGPU_LOCAL_BYTES - 4, 2), 0x0605u);
  EXPECT_EQ(card.peek(SOFTGPU_LOCAL_BYTES - 1, 1), 0x08u);
  card.submit(Card::kCopy, copy(local(SOFTGPU_LOCAL_BYTES - 8), local(kFree), 8));
  card.run_all();
  EXPECT_EQ(card.peek(kFree), 0x0807'0605'0403'0201u);
}

TEST_F(DeviceTest, RootsAreRegisters) {
  card.set64(SOFTGPU_REG_VMID(5) + SOFTGPU_VMID_ROOT, local(0x4000));
  card.set(SOFTGPU_REG_VMID(5) + SOFTGPU_VMID_ENTRIES, 600);
  EXPECT_EQ(card.get64(SOFTGPU_REG_VMID(5) + SOFTGPU_VMID_ROOT), local(0x4000));
  EXPECT_EQ(card.get(SOFTGPU_REG_VMID(5) + SOFTGPU_VMID_ENTRIES), 512u);
  EXPECT_EQ(card.get(SOFTGPU_REG_VMID(4) + SOFTGPU_VMID_ENTRIES), 0u);
  card.submit(Card::kCopy, set_root(5, bus(0x9000), 7));
  card.run_all();
  EXPECT_EQ(card.get64(SOFTGPU_REG_VMID(5) + SOFTGPU_VMID_ROOT), bus(0x9000));
  EXPECT_EQ(card.get(SOFTGPU_REG_VMID(5) + SOFTGPU_VMID_ENTRIES), 7u);
}

TEST_F(DeviceTest, CanInterruptOnRequest) {
  card.set(SOFTGPU_REG_INT_FORCE, SOFTGPU_INT_SOFTWARE);
  EXPECT_TRUE(card.host.raised);
  EXPECT_EQ(card.get(SOFTGPU_REG_INT_COUNT), 1u);
  EXPECT_EQ(card.take_interrupts(), SOFTGPU_INT_SOFTWARE);
  EXPECT_FALSE(card.host.raised);
}

TEST_F(DeviceTest, FencesShareAnInterruptWhenAsked) {
  card.set(SOFTGPU_REG_INT_COALESCE_NS, 10'000);
  for (uint64_t i = 1; i <= 10; ++i) card.submit(kCopy, fence(i));
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 10u);
  EXPECT_EQ(card.host.interrupts, 1);
  EXPECT_TRUE(card.host.raised);
}

TEST_F(DeviceTest, AsksForAStepOnlyWhenTheTimeChanges) {
  card.submit(kCopy, fence(1));
  int asked = card.host.wakes_asked;
  card.set64(SOFTGPU_REG_SCRATCH, 1);
  card.set(SOFTGPU_REG_INT_ACK, 0);
  EXPECT_EQ(card.host.wakes_asked, asked);
}

TEST_F(DeviceTest, AStepThatComesEarlyIsAskedForAgain) {
  card.submit(kCopy, fence(1));
  uint64_t due = card.host.wake;
  card.host.wake = kNever;
  card.device.step(due - 1);
  EXPECT_EQ(card.host.wake, due);
}

TEST_F(DeviceTest, AResetLosesAllButWhatTestsNeed) {
  card.poke(kFree, 1);
  card.set64(SOFTGPU_REG_SCRATCH, 5);
  card.set64(SOFTGPU_REG_APERTURE_BASE, local(0));
  card.set(SOFTGPU_REG_APERTURE_ENTRIES, 2);
  card.set(SOFTGPU_REG_VMID(1) + SOFTGPU_VMID_ENTRIES, 5);
  card.set(SOFTGPU_HOOK_FEATURES_OFF, SOFTGPU_FEATURE_MMU);
  card.submit(kCopy, row({fence(3), fill(local(kFree), 1 << 20, 0)}));
  card.run(1'000);
  ASSERT_TRUE(card.host.raised);

  card.set(SOFTGPU_REG_RESET, 1);
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_RUNNING);
  card.set(SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
  EXPECT_FALSE(card.host.raised);
  EXPECT_EQ(card.host.wake, kNever);
  EXPECT_EQ(card.get(SOFTGPU_REG_INT_STATUS), 0u);
  EXPECT_EQ(card.get(SOFTGPU_REG_INT_ENABLE), 0u);
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_DISABLED);
  EXPECT_EQ(card.get(SOFTGPU_REG_VMID(1) + SOFTGPU_VMID_ENTRIES), 0u);
  EXPECT_EQ(card.get(SOFTGPU_REG_APERTURE_ENTRIES), 0u);
  EXPECT_EQ(card.peek(kFree, 1), SOFTGPU_LOCAL_POISON);
  EXPECT_EQ(card.fence_of(kCopy), 3u);
  EXPECT_EQ(card.get64(SOFTGPU_REG_SCRATCH), 5u);
  EXPECT_EQ(card.get(SOFTGPU_HOOK_FEATURES_OFF), SOFTGPU_FEATURE_MMU);
}

}  // namespace
}  // namespace softgpu
