#include "ks/stream/mapping.h"

#include <gtest/gtest.h>

#include "ks/testing/queue_fixture.h"
#include "nt/dma/dma_adapters.h"
#include "nt/testing/dma_fixture.h"

// Frames of pins that generate mappings.
namespace ks {
namespace {

using nt::Machine;
using Names = std::vector<std::string>;

class MappingTest : public nt::DmaAdapterTest {
 protected:
  static constexpr uint32_t kStride = 2 * sizeof(KSMAPPING);

  MappingTest() { observer.then = nt::Then::GoOn; }

  // `body` runs with a queue whose frames are mapped, in pieces of at most `max_bytes`.
  void with_mappings(uint32_t max_bytes, const std::function<void(LoneQueue&)>& body) {
    with_adapter([&] {
      LoneQueue lone(machine(), {.flags = KSPIN_FLAG_GENERATE_MAPPINGS,
                                 .adapter = RegisteredAdapter{adapter, max_bytes, kStride}});
      body(lone);
    });
  }
  static KSMAPPING& entry(const KSSTREAM_POINTER_OFFSET& offset, uint32_t index) {
    return *reinterpret_cast<KSMAPPING*>(reinterpret_cast<char*>(offset.Mappings) + size_t{index} * kStride);
  }
};

TEST_F(MappingTest, TheTableCoversTheFrameAndOffsetsCountItsEntries) {
  with_mappings(1000, [&](LoneQueue& lone) {
    ClientRequest request(machine(), {.bytes = 10'000});
    request.send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    EXPECT_EQ((**leading).OffsetOut.Mappings, nullptr) << "mappings come with the lock";
    ASSERT_EQ(leading->lock(), STATUS_SUCCESS);
    KSSTREAM_POINTER_OFFSET& offset = (**leading).OffsetOut;
    ASSERT_GE(offset.Count, 10u);
    EXPECT_EQ(offset.Remaining, offset.Count);
    uint32_t bytes = 0;
    nt::Iommu* iommu = machine().dma().iommu(pdo);
    for (uint32_t i = 0; i < offset.Count; ++i) {
      const KSMAPPING& piece = entry(offset, i);
      EXPECT_LE(piece.ByteCount, 1000u);
      std::vector<uint8_t> fill(piece.ByteCount, static_cast<uint8_t>(i + 1));
      EXPECT_FALSE(iommu->write(static_cast<uint64_t>(piece.PhysicalAddress.QuadPart), fill.data(), fill.size()));
      EXPECT_EQ(request.data[bytes], static_cast<uint8_t>(i + 1)) << "the device writes into the client's frame";
      bytes += piece.ByteCount;
    }
    EXPECT_EQ(bytes, 10'000u);
    KSMAPPING* first = offset.Mappings;
    uint32_t count = offset.Count;
    EXPECT_EQ(leading->advance_offsets(0, 3, Eject::No, Then::Keep), STATUS_SUCCESS);
    EXPECT_EQ(offset.Remaining, count - 3);
    EXPECT_EQ(reinterpret_cast<char*>(offset.Mappings) - reinterpret_cast<char*>(first), 3 * kStride);
    (**leading).StreamHeader->DataUsed = 777;  // the driver's to set where there are mappings
    leading->advance_offsets(0, count - 3, Eject::No, Then::Unlock);
    EXPECT_EQ(request.header().DataUsed, 777u);
    EXPECT_TRUE(request.done());
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(MappingTest, TheDeviceHasNothingToDoWithAFrameThatHasLeft) {
  with_mappings(0, [&](LoneQueue& lone) {
    ClientRequest request(machine(), {.bytes = 4096});
    request.send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    ASSERT_EQ(leading->lock(), STATUS_SUCCESS);
    auto clone = leading->clone(nullptr, 0);
    ASSERT_TRUE(clone.ok());
    auto bus = static_cast<uint64_t>((**leading).OffsetOut.Mappings->PhysicalAddress.QuadPart);
    leading->unlock(Eject::Yes);
    uint8_t byte = 1;
    EXPECT_FALSE(machine().dma().iommu(pdo)->write(bus, &byte, 1)) << "the clone keeps the frame and its mapping";
    clone.take()->remove();
    EXPECT_TRUE(request.done());
    auto fault = machine().dma().iommu(pdo)->write(bus, &byte, 1);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->what, nt::Violation::DmaUnmapped);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(MappingTest, ALockFailsWhileOthersUseTheMapRegisters) {
  with_mappings(0, [&](LoneQueue& lone) {
    uint32_t half = map_registers / 2 + 1;
    ClientRequest one(machine(), {.bytes = half * 4096}), two(machine(), {.bytes = half * 4096});
    one.send(*lone.queue);
    two.send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    ASSERT_EQ(leading->lock(), STATUS_SUCCESS);
    auto clone = leading->clone(nullptr, 0);
    ASSERT_TRUE(clone.ok());
    EXPECT_EQ(leading->advance(), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_FALSE(leading->locked());
    clone.take()->remove();
    EXPECT_EQ(leading->lock(), STATUS_SUCCESS);
    leading->unlock(Eject::Yes);
    EXPECT_TRUE(one.done() && two.done());
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(MappingTest, APinThatWantsMappingsNeedsAnAdapter) {
  run([&] {
    LoneQueue lone(machine(), {.flags = KSPIN_FLAG_GENERATE_MAPPINGS});
    ClientRequest request(machine());
    request.send(*lone.queue);
    EXPECT_EQ(lone.queue->leading()->lock(), STATUS_DEVICE_NOT_READY);
    lone.queue->flush(STATUS_CANCELLED);
  });
  EXPECT_EQ(broken(), Names{"KsMappingsWithoutAdapter"});
}

}  // namespace
}  // namespace ks
