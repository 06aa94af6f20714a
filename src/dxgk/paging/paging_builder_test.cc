#include "dxgk/paging/paging_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "dxgk/testing/paging_fixture.h"

namespace dxgk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Args = testing::PagingArgs;
using testing::add_units;
using testing::build;
using testing::fill;
using testing::kAllocation;
using testing::kBufferBytes;
using testing::kPacket;
using testing::Packet;
using testing::transfer;

class PagingBuilderTest : public testing::PagingTest {};

// --- Packing ---

TEST_F(PagingBuilderTest, PacksOperationsBehindEachOther) {
  std::vector<UINT> offsets, sizes;
  driver.build_paging = [&](Args& args) {
    offsets.push_back(args.DmaBufferWriteOffset);
    sizes.push_back(args.DmaSize);
    EXPECT_EQ(args.MultipassOffset, 0u);
    return build(args);
  };
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(fill(2)).ok());
    EXPECT_TRUE(builder.add(transfer(3)).ok());
    EXPECT_TRUE(builder.add(fill(1)).ok());
    EXPECT_THAT(sink.log, IsEmpty());
    EXPECT_TRUE(builder.flush().ok());
  });
  EXPECT_THAT(offsets, ElementsAre(0, 0x20, 0x50));
  EXPECT_THAT(sizes, ElementsAre(kBufferBytes, kBufferBytes - 0x20, kBufferBytes - 0x50));
  EXPECT_THAT(sink.log, ElementsAre("submit 0x0..0x60"));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PagingBuilderTest, BeginsABufferOnAPage) {
  driver.build_paging = [&](Args& args) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(args.pDmaBuffer) % 4096, args.DmaBufferWriteOffset);
    return build(args);
  };
  run_builder([&](PagingBuilder& builder) { EXPECT_TRUE(builder.add(fill(kBufferBytes / kPacket + 1)).ok()); });
  EXPECT_EQ(builds(), 2u);
}

TEST_F(PagingBuilderTest, GoesOnBehindWhatIsSubmitted) {
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.flush().ok());  // of nothing
    EXPECT_TRUE(builder.add(fill(1)).ok());
    EXPECT_TRUE(builder.flush().ok());
    EXPECT_TRUE(builder.flush().ok());
    EXPECT_TRUE(builder.add(fill(2)).ok());
    EXPECT_TRUE(builder.flush().ok());
  });
  EXPECT_THAT(sink.log, ElementsAre("submit 0x0..0x10", "submit 0x10..0x30"));
}

TEST_F(PagingBuilderTest, TellsTheDriverWhereTheBufferIs) {
  paging_options.system_context = reinterpret_cast<HANDLE>(0x70);
  HANDLE context = nullptr;
  D3DGPU_VIRTUAL_ADDRESS address = 0;
  driver.build_paging = [&](Args& args) {
    context = args.hSystemContext;
    address = args.DmaBufferGpuVirtualAddress;
    return STATUS_SUCCESS;
  };
  auto ended = run_started([&](Adapter& adapter) {
    ParkingLock lock(adapter.paging_mutex());
    auto buffer = PagingBuffer::create(adapter).take();
    buffer->place({1, 0, 0x12'3000});
    PagingBuilder builder(adapter, sink, paging_options);
    builder.give(*buffer);
    EXPECT_TRUE(builder.add(fill(1)).ok());
  });
  EXPECT_EQ(ended, nt::Machine::Ended::Returned);
  EXPECT_EQ(context, paging_options.system_context);
  EXPECT_EQ(address, 0x12'3000u);
}

TEST_F(PagingBuilderTest, PrivateDataGoesAlong) {
  driver.paging_private_bytes = 64;
  driver.build_paging = [&](Args& args) {
    if (args.DmaBufferPrivateDataSize < 24) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    std::memset(args.pDmaBufferPrivateData, 1, 24);
    args.pDmaBufferPrivateData = static_cast<uint8_t*>(args.pDmaBufferPrivateData) + 24;
    args.DmaBufferPrivateDataSize -= 24;
    return build(args);
  };
  run_builder([&](PagingBuilder& builder) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(builder.add(fill(1)).ok());  // the third finds 16 bytes left
    EXPECT_TRUE(builder.flush().ok());
  });
  EXPECT_THAT(sink.log, ElementsAre("submit 0x0..0x20", "wait for the buffer", "submit 0x0..0x10"));
  EXPECT_THAT(sink.private_log, ElementsAre("0..48", "0..24"));
  EXPECT_THAT(broken(), IsEmpty());
}

// --- Running out of room ---

TEST_F(PagingBuilderTest, ContinuesInTheOtherBufferWhereTheDriverStopped) {
  std::vector<UINT> passes;
  driver.build_paging = [&](Args& args) {
    passes.push_back(args.MultipassOffset);
    return build(args);
  };
  constexpr uint64_t kPages = 3 * kBufferBytes / kPacket - 10;
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(fill(1)).ok());
    EXPECT_TRUE(builder.add(fill(kPages, 0x8000)).ok());
    EXPECT_TRUE(builder.flush().ok());
  });
  EXPECT_THAT(passes, ElementsAre(0, 0, kBufferBytes / kPacket - 1, 2 * kBufferBytes / kPacket - 1));
  EXPECT_THAT(sink.log, ElementsAre("submit 0x0..0x1000", "wait for the buffer", "submit 0x0..0x1000",
                                    "wait for the buffer", "submit 0x0..0xf70"));
  std::vector<Packet> expected;
  add_units(expected, DXGK_OPERATION_FILL, 1, 0);
  add_units(expected, DXGK_OPERATION_FILL, kPages, 0x8000);
  EXPECT_EQ(sink.packets, expected);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PagingBuilderTest, ABufferThatIsExactlyFullIsNotOffered) {
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(fill(kBufferBytes / kPacket)).ok());
    EXPECT_TRUE(builder.add(fill(1)).ok());
  });
  EXPECT_EQ(builds(), 2u);
  EXPECT_THAT(sink.log, ElementsAre("submit 0x0..0x1000", "wait for the buffer"));
}

// A packet that fits into a whole buffer only.
TEST_F(PagingBuilderTest, GivesAWholeBufferToAnOperationThatNeedsOne) {
  driver.build_paging = [&](Args& args) {
    if (args.Operation == DXGK_OPERATION_FILL) return build(args);
    if (args.DmaSize < kBufferBytes) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    std::memset(args.pDmaBuffer, 0x11, kBufferBytes);
    args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + kBufferBytes;
    return STATUS_SUCCESS;
  };
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(fill(1)).ok());
    EXPECT_TRUE(builder.add(transfer(1)).ok());
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// Whatever the limit, the GPU is told the same.
TEST_F(PagingBuilderTest, LimitsChangeNothingButTheNumberOfBuffers) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    sink = {};
    std::vector<Packet> expected;
    run_builder([&](PagingBuilder& builder) {
      for (int i = 0; i < 30; ++i) {
        builder.set_limit(random() % 3 == 0 ? SIZE_MAX : random() % 100);
        uint64_t pages = random() % 4 == 0 ? random() % 600 : random() % 8;
        uint64_t address = random() % 1000 * 4096;
        bool fills = random() % 2;
        EXPECT_TRUE((fills ? builder.add(fill(pages, address)) : builder.add(transfer(pages, address))).ok());
        add_units(expected, fills ? DXGK_OPERATION_FILL : DXGK_OPERATION_TRANSFER, pages, address);
        bool flush = random() % 5 == 0;
        EXPECT_TRUE(!flush || builder.flush().ok());
      }
      EXPECT_TRUE(builder.flush().ok());
    });
    ASSERT_EQ(sink.packets, expected);
    ASSERT_THAT(broken(), IsEmpty());
  }
}

TEST_F(PagingBuilderTest, OffersNoMoreThanTheLimitAndThenEverything) {
  std::vector<UINT> sizes;
  driver.build_paging = [&](Args& args) {
    sizes.push_back(args.DmaSize);
    return build(args);
  };
  paging_options.limit = 0;
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(fill(1)).ok());
    EXPECT_TRUE(builder.add(fill(0)).ok());  // needs no room
  });
  EXPECT_THAT(sizes, ElementsAre(0, kBufferBytes, 0));
  EXPECT_THAT(sink.log, IsEmpty()) << "nothing to submit";
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PagingBuilderTest, AskingForMoreThanAWholeBufferIsAFinding) {
  expect_refused(fill(1), [](Args&) { return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; });
  EXPECT_THAT(broken(), ElementsAre("PagingNoProgress"));
  EXPECT_EQ(builds(), 1u);
}

// It forgets MultipassOffset and begins again each time.
TEST_F(PagingBuilderTest, NeverComingToAnEndIsAFinding) {
  expect_refused(fill(kBufferBytes / kPacket + 1), [](Args& args) {
    args.MultipassOffset = 0;
    return build(args);
  });
  EXPECT_THAT(broken(), ElementsAre("PagingNoProgress"));
}

// --- Busy ---

TEST_F(PagingBuilderTest, WaitsForTheAllocationAndSaysSo) {
  std::vector<bool> idle;
  std::vector<UINT> passes;
  driver.build_paging = [&](Args& args) {
    if (args.Operation == DXGK_OPERATION_FILL) return build(args);
    idle.push_back(args.Transfer.Flags.AllocationIsIdle);
    passes.push_back(args.MultipassOffset);
    args.MultipassOffset = 1;
    return args.Transfer.Flags.AllocationIsIdle ? build(args) : STATUS_GRAPHICS_ALLOCATION_BUSY;
  };
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(fill(2)).ok());
    EXPECT_TRUE(builder.add(transfer(2)).ok());
    EXPECT_TRUE(builder.flush().ok());
  });
  EXPECT_THAT(idle, ElementsAre(false, true));
  EXPECT_THAT(passes, ElementsAre(0, 1)) << "what the driver keeps there is its own";
  EXPECT_THAT(sink.log, ElementsAre("submit 0x0..0x20", "wait for 0x50", "submit 0x20..0x30"));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PagingBuilderTest, DiscardsMayWaitToo) {
  expect_taken(paging::Discard{kAllocation, 2, 0}, [](Args& args) {
    return args.DiscardContent.Flags.AllocationIsIdle ? STATUS_SUCCESS : STATUS_GRAPHICS_ALLOCATION_BUSY;
  });
  EXPECT_THAT(sink.log, ElementsAre("wait for 0x50"));
}

// It stays idle for all passes of the operation.
TEST_F(PagingBuilderTest, IdleHoldsWhenTheBufferIsFull) {
  expect_taken(transfer(kBufferBytes / kPacket + 1), [](Args& args) {
    return args.Transfer.Flags.AllocationIsIdle ? build(args) : STATUS_GRAPHICS_ALLOCATION_BUSY;
  });
  EXPECT_EQ(builds(), 3u);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PagingBuilderTest, BusyAgainIsAFinding) {
  expect_refused(transfer(1), [](Args&) { return STATUS_GRAPHICS_ALLOCATION_BUSY; });
  EXPECT_THAT(broken(), ElementsAre("PagingBusyAgain"));
  EXPECT_NE(sentence().find("AllocationIsIdle"), std::string::npos);
  EXPECT_EQ(builds(), 2u);
}

TEST_F(PagingBuilderTest, BusyForAFillIsAFinding) {
  expect_refused(fill(1), [](Args&) { return STATUS_GRAPHICS_ALLOCATION_BUSY; });
  EXPECT_THAT(broken(), ElementsAre("PagingBusyAgain"));
  EXPECT_EQ(builds(), 1u);
}

// --- At once ---

TEST_F(PagingBuilderTest, ImmediateOperationsGetNoBuffer) {
  driver.paging_private_bytes = 8;
  driver.build_paging = [](Args& args) {
    EXPECT_EQ(args.pDmaBuffer, nullptr);
    EXPECT_EQ(args.DmaSize, 0u);
    EXPECT_EQ(args.pDmaBufferPrivateData, nullptr);
    EXPECT_EQ(args.DmaBufferPrivateDataSize, 0u);
    return STATUS_SUCCESS;
  };
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.now(fill(1)).ok());
    EXPECT_TRUE(builder.flush().ok());
  });
  EXPECT_THAT(sink.log, IsEmpty());
  EXPECT_EQ(builds(), 1u);
}

TEST_F(PagingBuilderTest, RunningOutOfNoBufferIsAFinding) {
  driver.build_paging = [](Args& args) {
    ++args.MultipassOffset;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  run_builder([&](PagingBuilder& builder) { EXPECT_FALSE(builder.now(fill(1)).ok()); });
  EXPECT_THAT(broken(), ElementsAre("PagingNoProgress"));
  EXPECT_EQ(builds(), 1u);
}

TEST_F(PagingBuilderTest, APointerIntoNoBufferIsAFinding) {
  driver.build_paging = [](Args& args) {
    args.pDmaBuffer = &args;
    return STATUS_SUCCESS;
  };
  run_builder([&](PagingBuilder& builder) { EXPECT_FALSE(builder.now(fill(1)).ok()); });
  EXPECT_THAT(broken(), ElementsAre("PagingBufferOverrun"));
}

// --- Around it ---

TEST_F(PagingBuilderTest, KnowsWhatTheApertureShows) {
  driver.build_paging = [](Args&) { return STATUS_SUCCESS; };
  auto ended = run_started([&](Adapter& adapter) {
    ParkingLock lock(adapter.paging_mutex());
    auto buffer = PagingBuffer::create(adapter).take();
    PagingBuilder builder(adapter, sink, paging_options);
    paging::MapAperture map;
    map.segment = 1;
    map.first_page = 3;
    map.pages = buffer->pages();
    map.mdl = buffer->mdl();
    EXPECT_TRUE(builder.now(map).ok());  // before there is a buffer to build in
    EXPECT_EQ(builder.aperture(1).at(3).physical, buffer->physical());
    builder.give(*buffer);
    EXPECT_TRUE(builder.add(paging::UnmapAperture{nullptr, nullptr, 1, 3, 1, 0x9000}).ok());
    EXPECT_EQ(builder.aperture(1).at(3).shows, ApertureShadow::Page::Shows::Dummy);
    EXPECT_EQ(builder.aperture(1).mapped(), 0u);
  });
  EXPECT_EQ(ended, nt::Machine::Ended::Returned);
}

TEST_F(PagingBuilderTest, AFailedMapShowsNothing) {
  driver.build_paging = [](Args&) { return STATUS_NO_MEMORY; };
  auto ended = run_started([&](Adapter& adapter) {
    ParkingLock lock(adapter.paging_mutex());
    auto buffer = PagingBuffer::create(adapter).take();
    PagingBuilder builder(adapter, sink, paging_options);
    paging::MapAperture map;
    map.segment = 1;
    map.pages = 1;
    map.mdl = buffer->mdl();
    EXPECT_FALSE(builder.now(map).ok());
    EXPECT_EQ(builder.aperture(1).mapped(), 0u);
  });
  EXPECT_EQ(ended, nt::Machine::Ended::Returned);
}

TEST_F(PagingBuilderTest, ASubmissionThatFailsFailsTheOperation) {
  sink.fails = true;
  run_builder([&](PagingBuilder& builder) {
    EXPECT_TRUE(builder.add(fill(1)).ok());
    EXPECT_EQ(builder.add(fill(kBufferBytes / kPacket)).status(), STATUS_DEVICE_REMOVED);
    EXPECT_TRUE(builder.flush().ok()) << "it is not submitted twice";
  });
  EXPECT_EQ(sink.log.size(), 1u);
}

TEST_F(PagingBuilderTest, AStoppedDriverIsNotAsked) {
  auto ended = run_started([&](Adapter& adapter) {
    auto buffer = PagingBuffer::create(adapter).take();
    PagingBuilder builder(adapter, sink, paging_options);
    builder.give(*buffer);
    adapter.stop();
    ParkingLock lock(adapter.paging_mutex());
    EXPECT_EQ(builder.add(fill(1)).status(), STATUS_DEVICE_REMOVED);
  });
  EXPECT_EQ(ended, nt::Machine::Ended::Returned);
  EXPECT_EQ(builds(), 0u);
}

TEST_F(PagingBuilderTest, SubTransfersFollowEachOther) {
  WholeTransfer whole;
  whole.allocation = kAllocation;
  whole.bytes = 5 * 4096;
  whole.source = {2, {{0, whole.bytes}}, {}};
  whole.destination = {2, {{0x10'0000, whole.bytes}}, {}};
  std::vector<UINT> flags;
  driver.build_paging = [&](Args& args) {
    flags.push_back(args.Transfer.Flags.Value);
    return build(args);
  };
  run_builder([&](PagingBuilder& builder) {
    for (const paging::Transfer& piece : cut(whole, 2 * 4096)) EXPECT_TRUE(builder.add(piece).ok());
    EXPECT_TRUE(builder.add(transfer(1)).ok());
  });
  EXPECT_THAT(flags, ElementsAre(0x8, 0, 0x10, 0x18));
}

// The transfer that failed is given up; the next one begins as usual.
TEST_F(PagingBuilderTest, AFailedSubTransferEndsTheTransfer) {
  driver.build_paging = [](Args& args) { return args.Transfer.Flags.TransferEnd ? STATUS_SUCCESS : STATUS_NO_MEMORY; };
  paging::Transfer open = transfer(1);
  open.flags.TransferEnd = 0;
  run_builder([&](PagingBuilder& builder) {
    EXPECT_FALSE(builder.add(open).ok());
    EXPECT_TRUE(builder.add(transfer(1)).ok());
  });
}

TEST_F(PagingBuilderTest, MixedTransfersAreOurFault) {
  paging::Transfer open = transfer(1);
  open.flags.TransferEnd = 0;
  EXPECT_DEATH(run_builder([&](PagingBuilder& builder) {
                 EXPECT_TRUE(builder.add(open).ok());
                 EXPECT_TRUE(builder.add(transfer(1)).ok());
               }),
               "within another");
}

}  // namespace
}  // namespace dxgk
