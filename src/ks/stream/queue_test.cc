#include "ks/stream/queue.h"

#include <gtest/gtest.h>

#include "ks/testing/queue_fixture.h"
#include "nt/testing/machine_fixture.h"

namespace ks {
namespace {

using nt::Machine;

class QueueTest : public nt::MachineTest {
 protected:
  QueueTest() { observer.then = nt::Then::GoOn; }

  // Runs `body` with a queue that has these flags.
  void with_queue(const LoneQueue::Options& queue_options, const std::function<void(LoneQueue&)>& body) {
    run([&] {
      LoneQueue lone(machine(), queue_options);
      body(lone);
    });
  }
  PKSSTREAM_POINTER locked_leading(LoneQueue& lone) {
    StreamPointer* leading = lone.queue->leading();
    return NT_SUCCESS(KsStreamPointerLock(leading->body())) ? leading->body() : nullptr;
  }
  using Names = std::vector<std::string>;
};

// --- Edges and offsets ---

TEST_F(QueueTest, AFrameIsDoneWhenTheLeadingEdgeHasPassedIt) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    EXPECT_EQ(locked_leading(lone), nullptr);
    a.send(*lone.queue);
    b.send(*lone.queue);
    EXPECT_EQ(lone.arrivals, 2u);
    EXPECT_EQ(lone.first_arrivals, 1u);
    PKSSTREAM_POINTER leading = locked_leading(lone);
    ASSERT_TRUE(leading);
    EXPECT_EQ(leading->Pin, lone.pin);
    EXPECT_EQ(leading->Context, nullptr);
    EXPECT_EQ(leading->Offset, &leading->OffsetOut);
    EXPECT_EQ(leading->OffsetOut.Data, a.data.data());
    EXPECT_EQ(leading->OffsetOut.Count, 64u);
    EXPECT_EQ(KsStreamPointerAdvance(leading), STATUS_SUCCESS);
    EXPECT_EQ(a.status.Status, STATUS_SUCCESS);
    EXPECT_EQ(a.status.Information, sizeof(KSSTREAM_HEADER));
    EXPECT_EQ(leading->OffsetOut.Data, b.data.data());
    EXPECT_FALSE(b.done());
    EXPECT_EQ(KsStreamPointerAdvance(leading), STATUS_DEVICE_NOT_READY);  // past the last: it cannot be locked again
    EXPECT_TRUE(b.done());
    EXPECT_TRUE(lone.queue->empty());
    EXPECT_FALSE(lone.queue->ready());
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueTest, OffsetsThatWereMovedBecomeDataUsed) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    a.send(*lone.queue);
    b.send(*lone.queue);
    PKSSTREAM_POINTER leading = locked_leading(lone);
    EXPECT_EQ(KsStreamPointerAdvanceOffsets(leading, 0, 40, FALSE), STATUS_SUCCESS);
    EXPECT_EQ(leading->OffsetOut.Data, a.data.data() + 40);
    EXPECT_EQ(leading->OffsetOut.Remaining, 24u);
    EXPECT_EQ(leading->OffsetOut.Count, 64u);
    EXPECT_EQ(lone.queue->available_bytes(false), 88u);
    EXPECT_EQ(KsStreamPointerAdvanceOffsets(leading, 0, 24, FALSE), STATUS_SUCCESS);  // to the end: the next frame
    EXPECT_EQ(a.header().DataUsed, 64u);
    EXPECT_EQ(leading->OffsetOut.Data, b.data.data());
    KsStreamPointerAdvanceOffsetsAndUnlock(leading, 0, 10, TRUE);
    EXPECT_EQ(b.header().DataUsed, 10u);
    EXPECT_TRUE(b.done());
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueTest, WhatTheDriverWroteIntoDataUsedStaysWhereNoOffsetWasMoved) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine());
    a.send(*lone.queue);
    PKSSTREAM_POINTER leading = locked_leading(lone);
    leading->StreamHeader->DataUsed = 17;
    leading->StreamHeader->OptionsFlags = KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT;
    leading->StreamHeader->Data = nullptr;  // not the driver's to change
    KsStreamPointerUnlock(leading, TRUE);
    EXPECT_EQ(a.header().DataUsed, 17u);
    EXPECT_EQ(a.header().OptionsFlags, static_cast<ULONG>(KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT));
    EXPECT_EQ(a.header().Data, a.data.data());
  });
}

TEST_F(QueueTest, AnInputPinSeesTheDataThatCameAndAnswersHowMuchItTook) {
  with_queue({.flow = KSPIN_DATAFLOW_IN}, [&](LoneQueue& lone) {
    ClientRequest a(machine(), {.write = true});
    a.header().DataUsed = 30;
    a.send(*lone.queue);
    PKSSTREAM_POINTER leading = locked_leading(lone);
    ASSERT_TRUE(leading);
    EXPECT_EQ(leading->Offset, &leading->OffsetIn);
    EXPECT_EQ(leading->OffsetIn.Count, 30u);
    EXPECT_EQ(leading->OffsetOut.Count, 0u);
    EXPECT_EQ(lone.queue->available_bytes(true), 30u);
    EXPECT_EQ(KsStreamPointerAdvanceOffsets(leading, 30, 0, FALSE), STATUS_DEVICE_NOT_READY);
    EXPECT_EQ(a.status.Status, STATUS_SUCCESS);
    EXPECT_EQ(a.status.Information, 30u);
    EXPECT_EQ(a.header().DataUsed, 30u);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueTest, ARequestOfSeveralFramesIsDoneWithItsLastOne) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine(), {.frames = 3});
    a.send(*lone.queue);
    EXPECT_EQ(lone.queue->frames(), 3u);
    PKSSTREAM_POINTER leading = locked_leading(lone);
    BOOLEAN first = FALSE, last = TRUE;
    EXPECT_EQ(KsStreamPointerGetIrp(leading, &first, &last), a.irp);
    EXPECT_TRUE(first && !last);
    KsStreamPointerAdvance(leading);
    KsStreamPointerAdvance(leading);
    EXPECT_EQ(KsStreamPointerGetIrp(leading, &first, &last), a.irp);
    EXPECT_TRUE(!first && last);
    EXPECT_EQ(MmGetMdlVirtualAddress(KsStreamPointerGetMdl(leading)), a.data.data() + 128);
    EXPECT_EQ(KsStreamPointerSetStatusCode(leading, STATUS_INVALID_DEVICE_STATE), STATUS_SUCCESS);
    EXPECT_FALSE(a.done());
    KsStreamPointerAdvance(leading);
    EXPECT_EQ(a.status.Status, STATUS_INVALID_DEVICE_STATE);
    EXPECT_EQ(a.status.Information, 3 * sizeof(KSSTREAM_HEADER));
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueTest, FramesBetweenTheEdgesStayUntilTheTrailingEdgePasses) {
  with_queue({.flags = KSPIN_FLAG_DISTINCT_TRAILING_EDGE}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    a.send(*lone.queue);
    b.send(*lone.queue);
    StreamPointer *leading = lone.queue->leading(), *trailing = lone.queue->trailing();
    ASSERT_TRUE(trailing);
    EXPECT_EQ(KsStreamPointerAdvance(leading->body()), STATUS_SUCCESS);
    EXPECT_EQ(KsStreamPointerAdvance(leading->body()), STATUS_SUCCESS);  // unlocked: always succeeds
    EXPECT_FALSE(a.done());
    EXPECT_EQ(trailing->lock(), STATUS_SUCCESS);
    EXPECT_EQ((**trailing).StreamHeader->FrameExtent, 64u);
    EXPECT_EQ(trailing->advance(), STATUS_SUCCESS);
    EXPECT_TRUE(a.done());
    EXPECT_FALSE(b.done());
    trailing->unlock(Eject::Yes);
    EXPECT_TRUE(b.done());
  });
  EXPECT_EQ(broken(), Names{});
  with_queue({}, [&](LoneQueue& lone) { EXPECT_EQ(lone.queue->trailing(), nullptr); });
}

TEST_F(QueueTest, EnforcedOrderHoldsLaterRequestsBack) {
  for (bool fifo : {false, true}) {
    with_queue({.flags = fifo ? ULONG{KSPIN_FLAG_ENFORCE_FIFO} : 0}, [&](LoneQueue& lone) {
      ClientRequest a(machine()), b(machine());
      a.send(*lone.queue);
      b.send(*lone.queue);
      PKSSTREAM_POINTER leading = locked_leading(lone), clone = nullptr;
      ASSERT_EQ(KsStreamPointerClone(leading, nullptr, 0, &clone), STATUS_SUCCESS);
      KsStreamPointerAdvance(leading);
      KsStreamPointerAdvance(leading);
      EXPECT_FALSE(a.done());
      EXPECT_EQ(b.done(), !fifo);
      EXPECT_TRUE(lone.queue->validate());
      KsStreamPointerDelete(clone);
      EXPECT_TRUE(a.done() && b.done());
    });
  }
  EXPECT_EQ(broken(), Names{});
}

// --- Clones ---

TEST_F(QueueTest, ACloneKeepsItsFrameAndCarriesAContext) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    a.send(*lone.queue);
    b.send(*lone.queue);
    PKSSTREAM_POINTER leading = locked_leading(lone), one = nullptr, two = nullptr;
    KsStreamPointerAdvanceOffsets(leading, 0, 8, FALSE);
    ASSERT_EQ(KsStreamPointerClone(leading, nullptr, 24, &one), STATUS_SUCCESS);
    EXPECT_EQ(one->Context, one + 1);
    EXPECT_EQ(one->OffsetOut.Remaining, 56u);
    std::fill_n(static_cast<uint8_t*>(one->Context), 24, uint8_t{1});
    ASSERT_EQ(KsStreamPointerAdvance(leading), STATUS_SUCCESS);
    KsStreamPointerUnlock(leading, FALSE);
    ASSERT_EQ(KsStreamPointerClone(leading, nullptr, 0, &two), STATUS_SUCCESS);
    EXPECT_EQ(two->Context, nullptr);
    EXPECT_EQ(lone.queue->first_clone()->body(), one);
    EXPECT_EQ(KsStreamPointerGetNextClone(one), two);
    EXPECT_EQ(KsStreamPointerGetNextClone(two), nullptr);
    EXPECT_EQ(KsStreamPointerGetNextClone(leading), nullptr);
    EXPECT_EQ(a.header().DataUsed, 0u);
    one->StreamHeader->DataUsed = 0;
    KsStreamPointerAdvanceOffsets(one, 0, 1, FALSE);  // a clone's progress counts where nothing else was said
    KsStreamPointerDelete(one);
    EXPECT_TRUE(a.done());
    EXPECT_EQ(a.header().DataUsed, 9u);
    EXPECT_EQ(KsStreamPointerLock(two), STATUS_SUCCESS);
    KsStreamPointerUnlock(two, TRUE);  // past the end: the next frame that comes is its
    ClientRequest c(machine());
    c.send(*lone.queue);
    EXPECT_EQ(two->StreamHeader->Data, c.data.data());
    KsStreamPointerDelete(two);
    EXPECT_FALSE(c.done());
    lone.queue->flush(STATUS_CANCELLED);
    EXPECT_EQ(b.status.Status, STATUS_CANCELLED);
  });
  EXPECT_EQ(broken(), Names{});
}

// A clone that was made early in a frame is deleted when the edge has filled all of it.
TEST_F(QueueTest, DeletingACloneTakesNothingOfDataUsedBack) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    a.send(*lone.queue);
    b.send(*lone.queue);
    PKSSTREAM_POINTER leading = locked_leading(lone), clone = nullptr;
    KsStreamPointerAdvanceOffsets(leading, 0, 10, FALSE);
    ASSERT_EQ(KsStreamPointerClone(leading, nullptr, 0, &clone), STATUS_SUCCESS);
    KsStreamPointerAdvanceOffsetsAndUnlock(leading, 0, 54, TRUE);
    KsStreamPointerDelete(clone);
    ASSERT_TRUE(a.done());
    EXPECT_EQ(a.header().DataUsed, 64u);
    // The same for what the driver wrote.
    leading = locked_leading(lone);
    ASSERT_EQ(KsStreamPointerClone(leading, nullptr, 0, &clone), STATUS_SUCCESS);
    clone->StreamHeader->DataUsed = 40;
    KsStreamPointerAdvanceOffsets(clone, 0, 10, FALSE);
    KsStreamPointerUnlock(leading, TRUE);
    KsStreamPointerDelete(clone);
    ASSERT_TRUE(b.done());
    EXPECT_EQ(b.header().DataUsed, 40u);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueTest, MisusesOfPointersAreFindingsAndChangeNothing) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine());
    a.send(*lone.queue);
    PKSSTREAM_POINTER leading = lone.queue->leading()->body(), clone = nullptr;
    KsStreamPointerUnlock(leading, TRUE);
    EXPECT_EQ(KsStreamPointerAdvanceOffsets(leading, 0, 1, FALSE), STATUS_DEVICE_NOT_READY);
    EXPECT_EQ(KsStreamPointerGetIrp(leading, nullptr, nullptr), nullptr);
    EXPECT_EQ(KsStreamPointerGetMdl(leading), nullptr);
    EXPECT_EQ(broken(),
              (Names{"KsPointerNotLocked", "KsPointerNotLocked", "KsPointerNotLocked", "KsPointerNotLocked"}));
    observer.violations.clear();
    KsStreamPointerDelete(leading);
    ASSERT_EQ(KsStreamPointerClone(leading, nullptr, 8, &clone), STATUS_SUCCESS);
    KsStreamPointerDelete(clone);
    KsStreamPointerDelete(clone);
    EXPECT_EQ(KsStreamPointerLock(clone), STATUS_DEVICE_NOT_READY);
    EXPECT_EQ(broken(), (Names{"KsPointerDeletedWrong", "KsPointerDeletedWrong", "KsPointerDeletedWrong"}));
    observer.violations.clear();
    uint64_t something[16] = {};
    KsStreamPointerUnlock(reinterpret_cast<PKSSTREAM_POINTER>(something), FALSE);
    EXPECT_EQ(KsStreamPointerLock(nullptr), STATUS_DEVICE_NOT_READY);
    EXPECT_EQ(broken(), (Names{"NotInitialised", "NotInitialised"}));
    observer.violations.clear();
    KsStreamPointerLock(leading);
    KsStreamPointerAdvanceOffsets(leading, 1, 65, FALSE);  // goes as far as there is
    EXPECT_EQ(broken(), Names{"KsAdvanceBeyond"});
    EXPECT_EQ(a.header().DataUsed, 64u);
    EXPECT_TRUE(lone.queue->validate());
  });
}

TEST_F(QueueTest, NothingIsCompletedUnderADriversSpinLock) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    a.send(*lone.queue);
    b.send(*lone.queue);
    auto* lock = static_cast<KSPIN_LOCK*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KSPIN_LOCK), 0x74736554));
    KeInitializeSpinLock(lock);
    PKSSTREAM_POINTER leading = lone.queue->leading()->body();
    KIRQL old = KeAcquireSpinLockRaiseToDpc(lock);
    KsStreamPointerAdvance(leading);
    KsStreamPointerAdvance(leading);
    EXPECT_FALSE(a.done() || b.done());
    EXPECT_TRUE(lone.queue->empty());
    KeReleaseSpinLock(lock, old);
    EXPECT_TRUE(a.done() && b.done()) << "the DPC has run";
    // The next call without a spin lock completes the requests, in order.
    ClientRequest c(machine());
    c.send(*lone.queue);
    old = KeAcquireSpinLockRaiseToDpc(lock);
    KsStreamPointerAdvance(leading);
    KeReleaseSpinLockFromDpcLevel(lock);
    EXPECT_FALSE(c.done());
    lone.queue->flush(STATUS_CANCELLED);
    EXPECT_TRUE(c.done());
    KeLowerIrql(old);
    ExFreePool(lock);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueTest, FlushedFramesLeaveUnlessTheyAreLockedAndClonesThatAreLeftAreReported) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    a.send(*lone.queue);
    b.send(*lone.queue);
    PKSSTREAM_POINTER leading = locked_leading(lone), clone = nullptr;
    ASSERT_EQ(KsStreamPointerClone(leading, nullptr, 0, &clone), STATUS_SUCCESS);
    KsStreamPointerUnlock(leading, FALSE);
    lone.queue->flush(STATUS_DEVICE_NOT_CONNECTED);
    EXPECT_FALSE(a.done());
    EXPECT_EQ(b.status.Status, STATUS_DEVICE_NOT_CONNECTED);
    EXPECT_EQ(b.status.Information, 0u);
    lone.queue->audit_clones("KSSTATE_STOP");
    EXPECT_EQ(a.status.Status, STATUS_DEVICE_NOT_CONNECTED);
    EXPECT_TRUE(lone.queue->empty());
    EXPECT_TRUE(lone.queue->validate());
    // The clone is still the driver's, and is reported once.
    EXPECT_EQ(KsStreamPointerLock(clone), STATUS_DEVICE_NOT_READY);
    lone.queue->audit_clones("Close returned");
    KsStreamPointerDelete(clone);
  });
  EXPECT_EQ(broken(), Names{"KsCloneLeft"});
}

// "If the frame is canceled, the next attempt to lock the stream pointer fails, and the minidriver can call
// KsStreamPointerDelete." (stream/stream-pointers-and-irp-cancellation)
TEST_F(QueueTest, ACloneOutlivesTheFrameThatWasFlushed) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    a.send(*lone.queue);
    b.send(*lone.queue);
    PKSSTREAM_POINTER leading = locked_leading(lone), open = nullptr, locked = nullptr;
    ASSERT_EQ(KsStreamPointerClone(leading, nullptr, 0, &open), STATUS_SUCCESS);
    KsStreamPointerUnlock(open, FALSE);
    ASSERT_EQ(KsStreamPointerAdvance(leading), STATUS_SUCCESS);
    ASSERT_EQ(KsStreamPointerClone(leading, nullptr, 0, &locked), STATUS_SUCCESS);
    KsStreamPointerUnlock(leading, FALSE);
    lone.queue->flush(STATUS_CANCELLED);
    EXPECT_EQ(a.status.Status, STATUS_CANCELLED);
    EXPECT_EQ(KsStreamPointerLock(open), STATUS_DEVICE_NOT_READY);
    KsStreamPointerDelete(open);
    EXPECT_FALSE(b.done()) << "a locked frame cannot be cancelled";
    KsStreamPointerUnlock(locked, FALSE);
    EXPECT_EQ(b.status.Status, STATUS_CANCELLED);
    KsStreamPointerDelete(locked);
    EXPECT_TRUE(lone.queue->validate());
  });
  EXPECT_EQ(broken(), Names{});
}

}  // namespace
}  // namespace ks
