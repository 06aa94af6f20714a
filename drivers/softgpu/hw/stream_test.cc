#include "softgpu/hw/stream.h"

#include <gtest/gtest.h>

#include "softgpu/hw/testing/card.h"

namespace softgpu {
namespace {

Ring good_ring() {
  Ring ring;
  ring.base = local(0);
  ring.size = 4096;
  return ring;
}

TEST(RingTest, KnowsAGoodOne) {
  EXPECT_TRUE(good_ring().well_formed());
  auto spoilt = [](auto spoil) {
    Ring ring = good_ring();
    spoil(ring);
    return !ring.well_formed();
  };
  EXPECT_TRUE(spoilt([](Ring& ring) { ring.size = 2048; }));
  EXPECT_TRUE(spoilt([](Ring& ring) { ring.size = 0x3000; }));
  EXPECT_TRUE(spoilt([](Ring& ring) { ring.size = 2 * SOFTGPU_RING_MAX_BYTES; }));
  EXPECT_TRUE(spoilt([](Ring& ring) { ring.base = local(8); }));
  EXPECT_TRUE(spoilt([](Ring& ring) { ring.head = 4096; }));
  EXPECT_TRUE(spoilt([](Ring& ring) { ring.head = 4; }));
  EXPECT_TRUE(spoilt([](Ring& ring) { ring.tail = 4097; }));
  EXPECT_TRUE(spoilt([](Ring& ring) { ring.vmid = SOFTGPU_VMIDS; }));
}

using StreamTest = CardTest;

TEST_F(StreamTest, PacketsWrapAroundTheRing) {
  // Packets of three quadwords never end at the end of 512.
  for (uint32_t i = 0; i < 400; ++i) {
    card.submit(kCopy, signal(local(kFree + 8 * i), i));
    card.run_all();
  }
  for (uint32_t i = 0; i < 400; ++i) ASSERT_EQ(card.peek(kFree + 8 * i), i);
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_RING_HEAD), 400 * 24 % Card::kRingBytes);
}

TEST_F(StreamTest, ABufferIsRunInPlaceOfItsCall) {
  uint64_t bytes =
      card.put(kFree, row({fill(local(kFree + 0x1000), 4, 1), copy(local(kFree + 0x1000), local(kFree + 0x2000), 4)}));
  card.submit(kCopy, row({indirect(local(kFree), bytes), fill(local(kFree + 0x1000), 4, 2), fence(1)}));
  card.run_all();
  EXPECT_EQ(card.peek(kFree + 0x1000, 4), 2u);
  EXPECT_EQ(card.peek(kFree + 0x2000, 4), 1u);
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_PACKETS), 5u);
}

TEST_F(StreamTest, TheHeadStaysAtTheCallWhileTheBufferRuns) {
  uint64_t bytes = card.put(kFree, fill(local(kFree + 0x1000), 1 << 20, 1));
  card.submit(kCopy, row({nop(), indirect(local(kFree), bytes), fence(1)}));
  card.run(5'000);
  EXPECT_EQ(card.state(kCopy), SOFTGPU_STATE_RUNNING);
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_RING_HEAD), 8u);
  card.run_all();
  EXPECT_EQ(card.get(kCopy, SOFTGPU_ENGINE_RING_HEAD), 8u + 24 + 16);
}

TEST_F(StreamTest, BuffersCallBuffers) {
  constexpr uint64_t kStep = 0x1000;
  uint64_t bytes = card.put(kFree, signal(local(kFree + 8 * kStep), 5));
  for (uint64_t depth = 1; depth < SOFTGPU_INDIRECT_MAX_DEPTH; ++depth)
    bytes = card.put(kFree + depth * kStep, indirect(local(kFree + (depth - 1) * kStep), bytes));
  uint64_t outermost = kFree + (SOFTGPU_INDIRECT_MAX_DEPTH - 1) * kStep;
  card.submit(kCopy, row({indirect(local(outermost), bytes), fence(1)}));
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 1u);
  EXPECT_EQ(card.peek(kFree + 8 * kStep), 5u);

  bytes = card.put(kFree + 7 * kStep, indirect(local(outermost), bytes));
  card.submit(kCopy, indirect(local(kFree + 7 * kStep), bytes));
  card.run_all();
  EXPECT_EQ(card.fault_kind(kCopy), SOFTGPU_FAULT_COMMAND);
}

TEST_F(StreamTest, EndSkipsTheRestOfABuffer) {
  uint64_t bytes = card.put(kFree, row({end(), {0xFFFF'FFFF'FFFF'FFFF}}));
  card.submit(kCopy, row({indirect(local(kFree), bytes), fence(1)}));
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 1u);
  card.submit(kCopy, end());
  card.run_all();
  EXPECT_EQ(card.fault_kind(kCopy), SOFTGPU_FAULT_COMMAND);
}

TEST_F(StreamTest, AnEmptyBufferIsNothing) {
  card.submit(kCopy, row({indirect(local(kFree), 0), fence(1)}));
  card.run_all();
  EXPECT_EQ(card.fence_of(kCopy), 1u);
}

TEST_F(StreamTest, APacketEndsWhereItsStreamDoes) {
  Qwords cut = signal(local(kFree), 1);
  cut.pop_back();
  card.submit(kCopy, cut);
  card.run_all();
  EXPECT_EQ(card.fault_kind(kCopy), SOFTGPU_FAULT_COMMAND);
  EXPECT_EQ(card.get64(kCopy, SOFTGPU_ENGINE_FAULT_PACKET), cut[0]);
  EXPECT_EQ(card.get64(kCopy, SOFTGPU_ENGINE_FAULT_ADDRESS), local(Card::ring(kCopy)));
}

}  // namespace
}  // namespace softgpu
