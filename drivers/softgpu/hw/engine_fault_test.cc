// What stops an engine, and what starts it again.
#include <gtest/gtest.h>

#include "softgpu/hw/engine.h"
#include "softgpu/hw/testing/card.h"

namespace softgpu {
namespace {

class EngineFaultTest : public CardTest {
 protected:
  void expect_works(uint32_t engine, uint64_t value) {
    card.submit(engine, fence(value));
    card.run_all();
    EXPECT_EQ(card.fence_of(engine), value);
  }
};

TEST_F(EngineFaultTest, AFaultStopsTheEngineUntilItIsReset) {
  card.submit(kCopy, row({fence(1), fill(local(SOFTGPU_LOCAL_BYTES), 4, 0), fence(2)}));
  card.run_all();
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_FAULTED);
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_FAULT_STATUS), SOFTGPU_FAULT_ADDRESS | SOFTGPU_FAULT_WRITE);
  EXPECT_EQ(card.get64(kCopy, SOFTGPU_ENGINE_FAULT_ADDRESS), local(SOFTGPU_LOCAL_BYTES));
  EXPECT_EQ(card.get64(kCopy, SOFTGPU_ENGINE_FAULT_PACKET) & 0xFF, SOFTGPU_CMD_FILL);
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_FAULTS), 1u);
  EXPECT_EQ(card.take_interrupts(), SOFTGPU_INT_FENCE(kCopy) | SOFTGPU_INT_FAULT(kCopy));
  EXPECT_FALSE(card.host.lines.empty());
  EXPECT_EQ(card.fence_of(kCopy), 1u);

  card.submit(kCopy, fence(3));
  card.control(kCopy, SOFTGPU_CONTROL_ENABLE);
  card.control(kCopy, SOFTGPU_CONTROL_DISABLE);
  card.control(kCopy, SOFTGPU_CONTROL_PREEMPT);
  card.run_all();
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_FAULTED);
  EXPECT_EQ(card.take_interrupts(), 0u);

  card.control(kCopy, SOFTGPU_CONTROL_RESET);
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_DISABLED);
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_FAULT_STATUS), SOFTGPU_FAULT_NONE);
  EXPECT_EQ(card.fence_of(kCopy), 1u);
  card.start(kCopy);
  expect_works(kCopy, 4);
}

TEST_F(EngineFaultTest, TheOtherEngineGoesOn) {
  card.submit(kCopy, {0xFF});
  card.run_all();
  EXPECT_EQ(card.fault_kind(kCopy), SOFTGPU_FAULT_COMMAND);
  expect_works(kRender, 1);
}

TEST_F(EngineFaultTest, BusErrorsAreFaults) {
  card.submit(kCopy, copy(bus(0x1000), local(kFree), 8));
  card.run_all();
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_FAULT_STATUS), SOFTGPU_FAULT_BUS | SOFTGPU_FAULT_READ);
  EXPECT_EQ(card.get64(kCopy, SOFTGPU_ENGINE_FAULT_ADDRESS), bus(0x1000));
}

TEST_F(EngineFaultTest, AFenceThatCannotBeWrittenIsNotCompleted) {
  card.control(kCopy, SOFTGPU_CONTROL_RESET);
  card.start(kCopy, bus(0x1000));
  card.submit(kCopy, fence(1));
  card.run_all();
  EXPECT_EQ(card.fault_kind(kCopy), SOFTGPU_FAULT_BUS);
  EXPECT_EQ(card.fence_of(kCopy), 0u);
}

TEST_F(EngineFaultTest, ComputingIsTheRenderEnginesBusiness) {
  Qwords compute = kernel(SOFTGPU_KERNEL_ADD, local(kFree), local(kFree), local(kFree), 1);
  card.submit(kCopy, compute);
  card.submit(kRender, compute);
  card.run_all();
  EXPECT_EQ(card.fault_kind(kCopy), SOFTGPU_FAULT_COMMAND);
  EXPECT_EQ(card.state(kRender), SOFTGPU_STATE_IDLE);
  card.set(SOFTGPU_HOOK_FEATURES_OFF, SOFTGPU_FEATURE_COMPUTE);
  card.submit(kRender, compute);
  card.run_all();
  EXPECT_EQ(card.fault_kind(kRender), SOFTGPU_FAULT_COMMAND);
}

TEST_F(EngineFaultTest, ARingThatMakesNoSenseIsAFault) {
  card.set(kCopy, SOFTGPU_ENGINE_RING_TAIL, Card::kRingBytes);
  EXPECT_EQ(card.fault_kind(kCopy), SOFTGPU_FAULT_RING);
  card.control(kCopy, SOFTGPU_CONTROL_RESET);
  card.control(kCopy, SOFTGPU_CONTROL_ENABLE);
  EXPECT_EQ(card.fault_kind(kCopy), SOFTGPU_FAULT_RING);
}

TEST_F(EngineFaultTest, AResetDropsWhatRuns) {
  card.submit(kCopy, row({fill(local(kFree), 1 << 20, 1), fence(1)}));
  card.run(1'000);
  card.control(kCopy, SOFTGPU_CONTROL_RESET);
  EXPECT_EQ(card.host.wake, kNever);
  card.run(1'000'000);
  EXPECT_EQ(card.peek(kFree, 4), 0xCCCCCCCCu);
  EXPECT_EQ(card.fence_of(kCopy), 0u);
}

// --- Hooks ---

TEST_F(EngineFaultTest, AnEngineCanBeMadeToHang) {
  card.hook(kCopy, SOFTGPU_HOOK_HANG, 3);
  card.submit(kCopy, row({fence(1), fence(2), fence(3)}));
  card.run_all();
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_HUNG);
  EXPECT_EQ(card.fence_of(kCopy), 2u);
  card.take_interrupts();
  card.control(kCopy, SOFTGPU_CONTROL_PREEMPT);
  card.run(1'000'000'000);
  EXPECT_EQ(card.take_interrupts(), 0u);
  card.control(kCopy, SOFTGPU_CONTROL_RESET);
  card.start(kCopy);
  expect_works(kCopy, 4);
}

TEST_F(EngineFaultTest, AResetCanFail) {
  card.hook(kCopy, SOFTGPU_HOOK_HANG, 1);
  card.hook(kCopy, SOFTGPU_HOOK_RESET_FAILS, 1);
  card.submit(kCopy, fence(1));
  card.run_all();
  card.control(kCopy, SOFTGPU_CONTROL_RESET);
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_HUNG);
  card.set(SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_DISABLED);
  card.start(kCopy);
  expect_works(kCopy, 2);
}

TEST_F(EngineFaultTest, WithoutTheFeatureThereIsNoReset) {
  card.set(SOFTGPU_HOOK_FEATURES_OFF, SOFTGPU_FEATURE_ENGINE_RESET);
  card.submit(kCopy, {0xFF});
  card.run_all();
  card.control(kCopy, SOFTGPU_CONTROL_RESET);
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_FAULTED);
}

TEST_F(EngineFaultTest, InterruptsCanBeLost) {
  card.hook(kCopy, SOFTGPU_HOOK_DROP_INTERRUPTS, 1);
  expect_works(kCopy, 1);
  EXPECT_FALSE(card.host.raised);
  expect_works(kCopy, 2);
  EXPECT_TRUE(card.host.raised);
}

TEST_F(EngineFaultTest, WorkCanTakeNoTimeOrMore) {
  card.hook(kCopy, SOFTGPU_HOOK_SPEED, SOFTGPU_SPEED_AT_ONCE);
  card.submit(kCopy, row({fill(local(kFree), 1 << 20, 1), fence(1)}));
  card.run_until(card.host.wake);
  EXPECT_EQ(card.fence_of(kCopy), 1u);

  card.hook(kCopy, SOFTGPU_HOOK_DELAY_NS, 1'000'000);
  card.submit(kCopy, fence(2));
  card.run(999'000);
  EXPECT_EQ(card.fence_of(kCopy), 1u);
  card.run(2'000);
  EXPECT_EQ(card.fence_of(kCopy), 2u);
}

TEST_F(EngineFaultTest, WorkCanTakeManyTimesAsLong) {
  card.hook(kCopy, SOFTGPU_HOOK_SLOWDOWN, 1'000);
  card.submit(kCopy, row({fill(local(kFree), 1 << 16, 1), fence(1)}));
  card.run(1'000 << 12);
  EXPECT_EQ(card.fence_of(kCopy), 0u);
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_RUNNING);
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 1u);
}

TEST_F(EngineFaultTest, APreemptionCanBeIgnored) {
  card.hook(kCopy, SOFTGPU_HOOK_PREEMPT_FAILS, 1);
  card.submit(kCopy, row({fill(local(kFree), 1 << 16, 1), fence(1), fence(2)}));
  card.control(kCopy, SOFTGPU_CONTROL_PREEMPT_AT_FENCE);
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 2u);
  EXPECT_EQ(card.take_interrupts(), SOFTGPU_INT_FENCE(kCopy));
  card.control(kCopy, SOFTGPU_CONTROL_PREEMPT);
  card.run_all();
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_IDLE);
  EXPECT_EQ(card.take_interrupts(), 0u);
}

// The ring's own packets do not count: a driver's are not at fault.
TEST_F(EngineFaultTest, TheNthAccessCanFault) {
  uint64_t bytes = card.put(kFree, row({fill(local(kFree + 0x1000), 4096, 1), fill(local(kFree + 0x2000), 8192, 2)}));
  card.hook(kCopy, SOFTGPU_HOOK_FAULT, 3);
  card.submit(kCopy, row({signal(local(kFree + 0x8000), 1), indirect(local(kFree), bytes), fence(1)}));
  card.run_all();
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_FAULT_STATUS), SOFTGPU_FAULT_NOT_PRESENT | SOFTGPU_FAULT_WRITE);
  EXPECT_EQ(card.get64(kCopy, SOFTGPU_ENGINE_FAULT_ADDRESS), local(kFree + 0x3000));
  EXPECT_EQ(card.peek(kFree + 0x2000, 4), 2u);
  EXPECT_EQ(card.peek(kFree + 0x3000, 4), 0xCCCCCCCCu);
  EXPECT_EQ(card.fence_of(kCopy), 0u);
  card.control(kCopy, SOFTGPU_CONTROL_RESET);
  card.start(kCopy);
  card.submit(kCopy, row({indirect(local(kFree), bytes), fence(2)}));
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 2u);
}

TEST_F(EngineFaultTest, AResetTakesTheAccessThatShallFaultAlong) {
  uint64_t bytes = card.put(kFree, fill(local(kFree + 0x1000), 4, 1));
  card.hook(kCopy, SOFTGPU_HOOK_FAULT, 1);
  card.control(kCopy, SOFTGPU_CONTROL_RESET);
  card.start(kCopy);
  card.submit(kCopy, row({indirect(local(kFree), bytes), fence(1)}));
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 1u);
}

// A buffer that calls itself again and again costs time even if its packets do not.
TEST_F(EngineFaultTest, NoStreamStopsTheClock) {
  card.hook(kCopy, SOFTGPU_HOOK_SPEED, SOFTGPU_SPEED_AT_ONCE);
  uint64_t bytes = 0;
  while (bytes < 0x8000) bytes += card.put(kFree + bytes, nop());
  card.submit(kCopy, row({indirect(local(kFree), bytes), fence(1)}));
  card.run_until(card.host.wake);
  EXPECT_EQ(card.fence_of(kCopy), 0u);
  EXPECT_EQ(card.host.wake, card.host.now + 1);
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 1u);
}

}  // namespace
}  // namespace softgpu
