#include <gtest/gtest.h>

#include "softgpu/hw/engine.h"
#include "softgpu/hw/testing/card.h"

namespace softgpu {
namespace {

class PreemptionTest : public CardTest {
 protected:
  // Two submissions, each a buffer of three packets and a fence.
  void submit_two() {
    for (uint64_t i = 0; i < 2; ++i) {
      uint64_t at = kFree + i * 0x1000;
      uint64_t bytes = card.put(at, row({add(i), add(i), add(i)}));
      card.submit(kRender, row({indirect(local(at), bytes), fence(i + 1)}));
    }
    for (uint64_t i = 0; i < 2; ++i) card.poke(sum(i), 0, 4);
    card.poke(kFree + 0x8000, 1, 4);
  }
  static uint64_t sum(uint64_t i) { return kFree + 0x8100 + 0x100 * i; }
  // Not idempotent: running one twice shows.
  static Qwords add(uint64_t i) {
    return kernel(SOFTGPU_KERNEL_ADD, local(sum(i)), local(kFree + 0x8000), local(sum(i)), 1);
  }
  bool preempted() { return card.state(kRender) == SOFTGPU_STATE_PREEMPTED; }
  void run_packets(uint32_t packets) {
    uint32_t end = card.get(kRender, SOFTGPU_ENGINE_PACKETS) + packets;
    while (card.get(kRender, SOFTGPU_ENGINE_PACKETS) < end) card.run_until(card.host.wake);
  }
};

TEST_F(PreemptionTest, AnIdleEngineAnswers) {
  card.control(kRender, SOFTGPU_CONTROL_PREEMPT);
  card.run_all();
  EXPECT_TRUE(preempted());
  EXPECT_EQ(card.take_interrupts(), SOFTGPU_INT_PREEMPTED(kRender));
  EXPECT_EQ(card.get64(kRender, SOFTGPU_ENGINE_PREEMPT_FENCE), 0u);
  card.submit(kRender, fence(1));
  card.run_all();
  EXPECT_EQ(card.fence_of(kRender), 0u);
  card.control(kRender, SOFTGPU_CONTROL_RESUME);
  card.run_all();
  EXPECT_EQ(card.fence_of(kRender), 1u);
}

// At every packet of the two submissions: stop, go on, and nothing was lost or done twice.
TEST_F(PreemptionTest, StopsAtAnyPacketAndGoesOn) {
  submit_two();
  for (uint32_t stops = 0;; ++stops) {
    run_packets(1);
    card.control(kRender, SOFTGPU_CONTROL_PREEMPT);
    card.run_all();
    ASSERT_TRUE(preempted());
    ASSERT_EQ(card.take_interrupts() & SOFTGPU_INT_PREEMPTED(kRender), SOFTGPU_INT_PREEMPTED(kRender));
    ASSERT_EQ(card.get64(kRender, SOFTGPU_ENGINE_PREEMPT_FENCE), card.fence_of(kRender));
    if (card.fence_of(kRender) == 2) break;
    card.control(kRender, SOFTGPU_CONTROL_RESUME);
    ASSERT_LT(stops, 20u);
  }
  EXPECT_EQ(card.peek(sum(0), 4), 3u);
  EXPECT_EQ(card.peek(sum(1), 4), 3u);
  EXPECT_EQ(card.get(kRender, SOFTGPU_ENGINE_PACKETS), 10u);
}

TEST_F(PreemptionTest, SaysWhereInABufferItStopped) {
  submit_two();
  run_packets(2);  // the call and one packet
  card.control(kRender, SOFTGPU_CONTROL_PREEMPT);
  card.run_all();
  constexpr uint64_t kPacket = sizeof(SOFTGPU_KERNEL);
  EXPECT_EQ(card.peek(sum(0), 4), 2u);  // the one that ran was finished
  EXPECT_EQ(card.get64(kRender, SOFTGPU_ENGINE_PREEMPT_BUFFER), local(kFree + 2 * kPacket));
  EXPECT_EQ(card.get(kRender, SOFTGPU_ENGINE_PREEMPT_BYTES), kPacket);
  EXPECT_EQ(card.get(kRender, SOFTGPU_ENGINE_RING_HEAD), 0u);

  // As the scheduler has it: everything is taken back, and comes again from where it stopped.
  card.control(kRender, SOFTGPU_CONTROL_DISCARD);
  EXPECT_EQ(card.state(kRender), SOFTGPU_STATE_IDLE);
  EXPECT_EQ(card.get(kRender, SOFTGPU_ENGINE_PREEMPT_BYTES), 0u);
  card.submit(kRender, row({indirect(local(kFree + 2 * kPacket), kPacket), fence(1)}));
  card.run_all();
  EXPECT_EQ(card.fence_of(kRender), 1u);
  EXPECT_EQ(card.peek(sum(0), 4), 3u);
  EXPECT_EQ(card.peek(sum(1), 4), 0u);
}

TEST_F(PreemptionTest, CanKeepSubmissionsWhole) {
  submit_two();
  run_packets(2);
  card.control(kRender, SOFTGPU_CONTROL_PREEMPT_AT_FENCE);
  card.run_all();
  EXPECT_TRUE(preempted());
  EXPECT_EQ(card.get64(kRender, SOFTGPU_ENGINE_PREEMPT_FENCE), 1u);
  EXPECT_EQ(card.get(kRender, SOFTGPU_ENGINE_PREEMPT_BYTES), 0u);
  EXPECT_EQ(card.peek(sum(0), 4), 3u);
  EXPECT_EQ(card.peek(sum(1), 4), 0u);
}

TEST_F(PreemptionTest, AFenceInABufferEndsNoSubmission) {
  uint64_t bytes = card.put(kFree, row({fence(1), nop(), nop()}));
  card.submit(kRender, row({indirect(local(kFree), bytes), fence(2), fence(3)}));
  run_packets(1);
  card.control(kRender, SOFTGPU_CONTROL_PREEMPT_AT_FENCE);
  card.run_all();
  EXPECT_TRUE(preempted());
  EXPECT_EQ(card.get64(kRender, SOFTGPU_ENGINE_PREEMPT_FENCE), 2u);
}

TEST_F(PreemptionTest, AWaitIsLeftAndComeBackTo) {
  card.poke(kFree, 0);
  card.submit(kRender, row({nop(), wait(local(kFree), 1), fence(1)}));
  card.run(10'000);
  ASSERT_EQ(card.state(kRender), SOFTGPU_STATE_WAITING);
  card.control(kRender, SOFTGPU_CONTROL_PREEMPT_AT_FENCE);
  card.run(1'000'000);
  EXPECT_EQ(card.state(kRender), SOFTGPU_STATE_WAITING);  // in the middle of a submission
  card.control(kRender, SOFTGPU_CONTROL_PREEMPT);
  card.run_all();
  EXPECT_TRUE(preempted());
  EXPECT_EQ(card.get(kRender, SOFTGPU_ENGINE_RING_HEAD), 8u);
  card.poke(kFree, 1);
  card.control(kRender, SOFTGPU_CONTROL_RESUME);
  card.run_all();
  EXPECT_EQ(card.fence_of(kRender), 1u);
}

TEST_F(PreemptionTest, AWaitBetweenSubmissionsIsNoObstacle) {
  card.poke(kFree, 0);
  card.submit(kRender, row({fence(1), wait(local(kFree), 1), fence(2)}));
  card.run(10'000);
  card.control(kRender, SOFTGPU_CONTROL_PREEMPT_AT_FENCE);
  card.run_all();
  EXPECT_TRUE(preempted());
  EXPECT_EQ(card.get64(kRender, SOFTGPU_ENGINE_PREEMPT_FENCE), 1u);
}

TEST_F(PreemptionTest, ASecondRequestIsAnsweredToo) {
  submit_two();
  run_packets(2);
  card.control(kRender, SOFTGPU_CONTROL_PREEMPT);
  card.run_all();
  card.take_interrupts();
  card.control(kRender, SOFTGPU_CONTROL_PREEMPT_AT_FENCE);
  card.run_all();
  EXPECT_TRUE(preempted());
  EXPECT_EQ(card.take_interrupts(), SOFTGPU_INT_PREEMPTED(kRender));
}

TEST_F(PreemptionTest, WithoutTheFeatureTheRequestIsIgnored) {
  card.set(SOFTGPU_HOOK_FEATURES_OFF, SOFTGPU_FEATURE_PREEMPTION);
  card.control(kRender, SOFTGPU_CONTROL_PREEMPT);
  card.run_all();
  EXPECT_EQ(card.state(kRender), SOFTGPU_STATE_IDLE);
}

TEST_F(PreemptionTest, ADisabledEngineForgetsTheRequest) {
  card.control(kRender, SOFTGPU_CONTROL_DISABLE);
  card.control(kRender, SOFTGPU_CONTROL_PREEMPT);
  card.control(kRender, SOFTGPU_CONTROL_ENABLE);
  card.submit(kRender, fence(1));
  card.run_all();
  EXPECT_EQ(card.fence_of(kRender), 1u);
}

}  // namespace
}  // namespace softgpu
