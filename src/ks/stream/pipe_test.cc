#include "ks/stream/pipe.h"

#include <gmock/gmock.h>

#include "ks/testing/allocator_fixture.h"

namespace ks::testing {
namespace {

using ::testing::IsEmpty;

// A source that fills so many frames, and a sink that counts what it is given.
struct Stream {
  uint32_t to_send = 0;
  uint32_t sent = 0;
  uint32_t received = 0;
  uint64_t bytes = 0;
  bool in_order = true;
  bool sends_empty = false;

  static Stream* current;
  Stream() { current = this; }
  ~Stream() { current = nullptr; }

  static NTSTATUS fill(PKSPIN pin) {
    Stream& self = *current;
    while (self.sent < self.to_send) {
      PKSSTREAM_POINTER at = KsPinGetLeadingEdgeStreamPointer(pin, KSSTREAM_POINTER_STATE_LOCKED);
      if (!at) return STATUS_PENDING;
      ULONG used = self.sends_empty ? 0 : 100;
      if (used) memset(at->OffsetOut.Data, static_cast<int>(self.sent & 0xFF), used);
      ++self.sent;
      KsStreamPointerAdvanceOffsets(at, 0, used, FALSE);
      KsStreamPointerUnlock(at, TRUE);
    }
    return STATUS_PENDING;
  }
  static NTSTATUS drink(PKSPIN pin) {
    Stream& self = *current;
    while (PKSSTREAM_POINTER at = KsPinGetLeadingEdgeStreamPointer(pin, KSSTREAM_POINTER_STATE_LOCKED)) {
      self.in_order &= at->OffsetIn.Data[0] == (self.received & 0xFF);
      self.bytes += at->OffsetIn.Remaining;
      ++self.received;
      KsStreamPointerUnlock(at, TRUE);
    }
    return STATUS_PENDING;
  }
};
Stream* Stream::current = nullptr;

class PipeTest : public AllocatorTest {
 protected:
  PipeTest() {
    driver.pin[0].Process = Stream::fill;
    driver.pin[1].Process = Stream::drink;
    driver.pin[1].Allocator = nullptr;  // the source has one
  }

  void connect_pins() {
    filter = open_filter();
    sink = open_pin(filter, 1);
    source = open_pin(filter, 0, sink);
  }
  // The sink first on the way up, last on the way down.
  void go_up(KSSTATE state) {
    for (HANDLE pin : {sink, source}) EXPECT_EQ(program().set_state(pin, state), STATUS_SUCCESS);
  }
  void go_down(KSSTATE state) {
    for (HANDLE pin : {source, sink}) EXPECT_EQ(program().set_state(pin, state), STATUS_SUCCESS);
  }
  void attempt() { KsPinAttemptProcessing(&*pin_of(source), FALSE); }
  AllocatorNode::Ledger last_ledger() { return system().allocators().ledgers().back(); }

  Stream stream;
  HANDLE filter = nullptr, source = nullptr, sink = nullptr;
};

TEST_F(PipeTest, FramesOfTheSourcesAllocatorGoRoundUntilStop) {
  stream.to_send = 90;
  run_driver([&] {
    connect_pins();
    go_up(KSSTATE_ACQUIRE);
    Pipe* pipe = pin_of(source).pipe();
    ASSERT_NE(pipe, nullptr);
    EXPECT_EQ(pin_of(sink).pipe(), pipe);
    EXPECT_EQ(allocator.pin, &*pin_of(source));
    EXPECT_EQ(pipe->ledger().frames, 4u);
    EXPECT_EQ(stream.sent, 0u);
    go_up(KSSTATE_RUN);
    EXPECT_EQ(stream.sent, 90u);
    EXPECT_EQ(stream.received, 90u);
    EXPECT_EQ(stream.bytes, 9000u);
    EXPECT_TRUE(stream.in_order);
    EXPECT_EQ(pipe->ledger().went_round, 90u);
    go_down(KSSTATE_STOP);
    EXPECT_EQ(pipe->ledger().frames, 0u);
    EXPECT_EQ(pipe->ledger().requested, 4u);
    EXPECT_EQ(pipe->ledger().returned, 4u);
    EXPECT_EQ(allocator.calls, "IAAAAFFFFD");
    EXPECT_EQ(last_ledger().state, AllocatorState::Deleted);
    EXPECT_EQ(last_ledger().drained, 0u);
  });
  EXPECT_EQ(allocator.count('C'), 2u);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PipeTest, AStoppedStreamCanBeStartedAgain) {
  stream.to_send = 10;
  run_driver([&] {
    connect_pins();
    go_up(KSSTATE_RUN);
    go_down(KSSTATE_STOP);
    stream.to_send = 20;
    go_up(KSSTATE_RUN);
    EXPECT_EQ(stream.received, 20u);
    EXPECT_EQ(pin_of(source).pipe()->ledger().went_round, 20u);
    go_down(KSSTATE_STOP);
    EXPECT_EQ(allocator.count('I'), 2u);
    EXPECT_EQ(allocator.count('D'), 2u);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PipeTest, AnAssignedAllocatorIsUsedAndKept) {
  stream.to_send = 5;
  run_driver([&] {
    connect_pins();
    HANDLE handle = program().open_allocator(sink, framing(2)).take();
    EXPECT_FALSE(last_ledger().drivers_own) << "the sink has no allocator of its own";
    ASSERT_EQ(program().assign_allocator(source, handle), STATUS_SUCCESS);
    go_up(KSSTATE_RUN);
    EXPECT_EQ(pin_of(source).pipe()->ledger().frames, 2u);
    EXPECT_EQ(stream.received, 5u);
    go_down(KSSTATE_STOP);
    EXPECT_EQ(last_ledger().state, AllocatorState::Initialized);
    EXPECT_EQ(last_ledger().outstanding, 0u);
  });
  EXPECT_EQ(allocator.count('I'), 0u);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PipeTest, WithoutAnyAllocatorTheDefaultOneServes) {
  driver.pin[0].Allocator = nullptr;
  stream.to_send = 7;
  run_driver([&] {
    connect_pins();
    go_up(KSSTATE_RUN);
    EXPECT_EQ(stream.received, 7u);
    EXPECT_FALSE(last_ledger().drivers_own);
    EXPECT_EQ(last_ledger().framing.FrameSize, 4096u);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PipeTest, EmptyFramesDoNotReachTheSink) {
  stream.to_send = 3;
  stream.sends_empty = true;
  run_driver([&] {
    connect_pins();
    go_up(KSSTATE_RUN);
    EXPECT_EQ(stream.sent, 3u);
    EXPECT_EQ(stream.received, 0u);
    EXPECT_EQ(pin_of(source).pipe()->ledger().frames, 4u);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PipeTest, AFailedAllocatorFailsTheAcquire) {
  allocator.limit = 0;
  run_driver([&] {
    connect_pins();
    EXPECT_EQ(program().set_state(sink, KSSTATE_ACQUIRE), STATUS_SUCCESS) << "the circuit is the source's";
    EXPECT_EQ(program().set_state(source, KSSTATE_ACQUIRE), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_EQ(allocator.calls, "IAD");
    allocator.limit = 1;
    EXPECT_EQ(program().set_state(source, KSSTATE_ACQUIRE), STATUS_SUCCESS);
    EXPECT_EQ(pin_of(source).pipe()->ledger().frames, 1u);
  });
  EXPECT_EQ(allocator.count('I'), allocator.count('D'));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PipeTest, EitherEndMayBeClosedFirst) {
  for (bool source_first : {true, false}) {
    allocator.calls.clear();
    stream.sent = stream.received = 0;
    stream.to_send = 6;
    run_driver([&] {
      connect_pins();
      go_up(KSSTATE_RUN);
      EXPECT_EQ(program().close(source_first ? source : sink), STATUS_SUCCESS);
      EXPECT_EQ(allocator.count('D'), 1u);
      EXPECT_EQ(pin_of(source_first ? sink : source).pipe(), nullptr);
      EXPECT_EQ(program().close(source_first ? sink : source), STATUS_SUCCESS);
    });
    EXPECT_EQ(allocator.count('C'), 2u);
    EXPECT_LT(allocator.calls.find('D'), allocator.calls.find('C'));
    EXPECT_THAT(broken(), IsEmpty());
  }
}

TEST_F(PipeTest, AProgramThatDiesWhileItRunsLeavesNothing) {
  stream.to_send = 6;
  run_driver_seeds(6, [&] {
    allocator.calls.clear();
    stream.sent = stream.received = 0;
    connect_pins();
    go_up(KSSTATE_RUN);
    end_program();
    EXPECT_EQ(allocator.count('D'), 1u);
    EXPECT_EQ(allocator.count('A'), allocator.count('F'));
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// A client may write to the sink of a pipe: its request goes back to it, cancelled or used, and never round the
// circuit.
TEST_F(PipeTest, AClientsOwnRequestIsNoFrameOfTheCircuit) {
  stream.to_send = 3;
  run_driver([&] {
    connect_pins();
    go_up(KSSTATE_ACQUIRE);
    ProgramFrame cancelled(program(), 256), used(program(), 256);
    cancelled.header().DataUsed = used.header().DataUsed = 100;
    EXPECT_EQ(cancelled.write(sink), STATUS_PENDING);
    cancelled.cancel();
    EXPECT_EQ(cancelled.wait(), STATUS_CANCELLED);
    EXPECT_EQ(used.write(sink), STATUS_PENDING);
    go_up(KSSTATE_RUN);
    EXPECT_EQ(used.wait(), STATUS_SUCCESS);
    EXPECT_EQ(stream.received, 4u);
    EXPECT_EQ(pin_of(source).pipe()->ledger().went_round, 3u);
    go_down(KSSTATE_STOP);
    EXPECT_EQ(last_ledger().drained, 0u);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(PipeTest, AResetSendsTheFramesHomeAndOutAgain) {
  stream.to_send = 4;
  run_driver([&] {
    connect_pins();
    go_up(KSSTATE_RUN);
    EXPECT_EQ(program().reset(source, KSRESET_BEGIN), STATUS_SUCCESS);
    EXPECT_TRUE(pin_of(source).queue().empty());
    EXPECT_EQ(program().reset(source, KSRESET_END), STATUS_SUCCESS);
    EXPECT_EQ(pin_of(source).queue().frames(), 4u);
    stream.to_send = 8;
    attempt();
    EXPECT_EQ(stream.received, 8u);
  });
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace ks::testing
