#include <gtest/gtest.h>

#include <random>

#include "ks/testing/queue_fixture.h"
#include "nt/io/io_request.h"
#include "nt/io/irps.h"
#include "nt/testing/machine_fixture.h"

// Cancellation, timeouts, and everything at once in random order.
namespace ks {
namespace {

using nt::Machine;
using Names = std::vector<std::string>;

// What a driver's callbacks saw and shall do.
struct Seen {
  std::vector<PKSSTREAM_POINTER> pointers;
  std::vector<KIRQL> irqls;
  std::function<void(PKSSTREAM_POINTER)> then;
};
Seen g_seen;

void callback(PKSSTREAM_POINTER pointer) {
  g_seen.pointers.push_back(pointer);
  g_seen.irqls.push_back(KeGetCurrentIrql());
  if (g_seen.then) g_seen.then(pointer);
}

class QueueCancelTest : public nt::MachineTest {
 protected:
  QueueCancelTest() {
    observer.then = nt::Then::GoOn;
    g_seen = {};
  }
  void with_queue(const LoneQueue::Options& queue_options, const std::function<void(LoneQueue&)>& body) {
    run([&] {
      LoneQueue lone(machine(), queue_options);
      body(lone);
    });
  }
  PKSSTREAM_POINTER clone_of(StreamPointer* pointer, PFNKSSTREAMPOINTER cancelled) {
    PKSSTREAM_POINTER clone = nullptr;
    EXPECT_EQ(KsStreamPointerClone(pointer->body(), cancelled, 0, &clone), STATUS_SUCCESS);
    return clone;
  }
};

TEST_F(QueueCancelTest, AnUnlockedFrameIsCancelledAndTheLeadingEdgeMovesOn) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    a.send(*lone.queue);
    b.send(*lone.queue);
    EXPECT_TRUE(machine().irps().cancel(*a.irp));
    EXPECT_EQ(a.status.Status, STATUS_CANCELLED);
    EXPECT_EQ(a.status.Information, 0u);
    StreamPointer* leading = lone.queue->leading();
    EXPECT_EQ((**leading).StreamHeader->Data, b.data.data());
    EXPECT_EQ(lone.queue->counts().cancelled, 1u);
    leading->advance();
    EXPECT_EQ(b.status.Status, STATUS_SUCCESS);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueCancelTest, ALockedFrameIsCancelledWhenItIsUnlocked) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    a.send(*lone.queue);
    b.send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    ASSERT_EQ(leading->lock(), STATUS_SUCCESS);
    machine().irps().cancel(*a.irp);
    EXPECT_FALSE(a.done());
    PKSSTREAM_POINTER clone = clone_of(leading, nullptr);  // of a locked pointer: locked as well
    leading->unlock(Eject::No);
    EXPECT_EQ((**leading).StreamHeader->Data, b.data.data()) << "the edge moves on, and the clone stays";
    EXPECT_FALSE(a.done());
    EXPECT_TRUE(lone.queue->validate());
    KsStreamPointerUnlock(clone, FALSE);
    EXPECT_EQ(a.status.Status, STATUS_CANCELLED);
    EXPECT_EQ(KsStreamPointerLock(clone), STATUS_DEVICE_NOT_READY);
    EXPECT_EQ(clone->StreamHeader, nullptr);
    KsStreamPointerDelete(clone);
    // A request that the unlock itself finishes (Eject) is not cancelled any more.
    ASSERT_EQ(leading->lock(), STATUS_SUCCESS);
    machine().irps().cancel(*b.irp);
    leading->unlock(Eject::Yes);
    EXPECT_EQ(b.status.Status, STATUS_SUCCESS);
  });
  EXPECT_EQ(broken(), Names{});
}

// "Maintain a locked clone stream pointer for any length of time": it keeps its own frame, and none that comes later.
TEST_F(QueueCancelTest, ACloneThatStaysLockedOverAFlushDoesNotStopTheQueue) {
  for (ULONG flags : {0u, ULONG{KSPIN_FLAG_DISTINCT_TRAILING_EDGE}}) {
    with_queue({.flags = flags}, [&](LoneQueue& lone) {
      ClientRequest a(machine(), {.frames = 3}), b(machine());
      a.send(*lone.queue);
      StreamPointer* leading = lone.queue->leading();
      ASSERT_EQ(leading->lock(), STATUS_SUCCESS);
      PKSSTREAM_POINTER clone = clone_of(leading, nullptr);
      leading->unlock(Eject::No);
      lone.queue->flush(STATUS_CANCELLED);
      EXPECT_FALSE(a.done());
      EXPECT_FALSE(lone.queue->ready());
      EXPECT_EQ(leading->lock(), STATUS_DEVICE_NOT_READY);
      EXPECT_TRUE(lone.queue->validate());
      b.send(*lone.queue);
      EXPECT_EQ(lone.first_arrivals, 2u) << "it is the first at the leading edge, and starts processing";
      ASSERT_EQ(leading->lock(), STATUS_SUCCESS);
      EXPECT_EQ((**leading).StreamHeader->Data, b.data.data());
      leading->unlock(Eject::Yes);
      if (flags != 0) lone.queue->trailing()->advance();
      EXPECT_EQ(b.status.Status, STATUS_SUCCESS);
      EXPECT_FALSE(a.done());
      EXPECT_TRUE(lone.queue->validate());
      KsStreamPointerDelete(clone);
      EXPECT_EQ(a.status.Status, STATUS_CANCELLED) << "not done, although no pointer stands on it any more";
      EXPECT_TRUE(lone.queue->empty());
    });
  }
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueCancelTest, AnEdgeStepsOverFramesThatAreEnding) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine()), c(machine());
    for (ClientRequest* each : {&a, &b, &c}) each->send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    ASSERT_EQ(leading->lock(), STATUS_SUCCESS);
    PKSSTREAM_POINTER clone = clone_of(leading, nullptr);
    ASSERT_EQ(KsStreamPointerAdvance(clone), STATUS_SUCCESS);  // locked on b
    machine().irps().cancel(*b.irp);
    EXPECT_EQ(leading->advance(), STATUS_SUCCESS);
    EXPECT_EQ((**leading).StreamHeader->Data, c.data.data());
    EXPECT_EQ(a.status.Status, STATUS_SUCCESS);
    EXPECT_FALSE(b.done());
    EXPECT_TRUE(lone.queue->validate());
    KsStreamPointerUnlock(clone, FALSE);
    EXPECT_EQ(b.status.Status, STATUS_CANCELLED);
    KsStreamPointerDelete(clone);
    leading->unlock(Eject::Yes);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueCancelTest, OneThatIsDoneIsNotCancelledWhileItWaitsForItsTurn) {
  with_queue({.flags = KSPIN_FLAG_ENFORCE_FIFO}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    a.send(*lone.queue);
    b.send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    PKSSTREAM_POINTER clone = clone_of(leading, nullptr);  // keeps a
    leading->advance();
    ASSERT_EQ(leading->lock(), STATUS_SUCCESS);
    machine().irps().cancel(*b.irp);
    leading->unlock(Eject::Yes);
    EXPECT_FALSE(b.done());
    EXPECT_TRUE(lone.queue->validate());
    KsStreamPointerDelete(clone);
    EXPECT_EQ(a.status.Status, STATUS_SUCCESS);
    EXPECT_EQ(b.status.Status, STATUS_SUCCESS);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueCancelTest, OneThatWasCancelledBeforeItCameInLeavesAgain) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine());
    EXPECT_FALSE(machine().irps().cancel(*a.irp));
    auto probed = StreamIrp::probe(*lone.queue, *a.irp);
    ASSERT_TRUE(probed.ok());
    EXPECT_EQ(lone.queue->add(probed.take()).status(), STATUS_CANCELLED);
    EXPECT_EQ(a.status.Status, STATUS_CANCELLED);
    EXPECT_EQ(lone.arrivals, 0u);
    EXPECT_TRUE(lone.queue->validate());
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueCancelTest, CancelCallbacksOfUnlockedClonesRunUnderTheQueuesLock) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine());
    a.send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    PKSSTREAM_POINTER told = clone_of(leading, &callback), silent = clone_of(leading, nullptr);
    g_seen.then = [](PKSSTREAM_POINTER pointer) { KsStreamPointerDelete(pointer); };
    machine().irps().cancel(*a.irp);
    EXPECT_EQ(g_seen.pointers, std::vector<PKSSTREAM_POINTER>{told});
    EXPECT_EQ(g_seen.irqls, std::vector<KIRQL>{DISPATCH_LEVEL});
    EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
    EXPECT_EQ(a.status.Status, STATUS_CANCELLED);
    EXPECT_EQ(lone.queue->first_clone()->body(), silent);
    EXPECT_EQ(KsStreamPointerLock(silent), STATUS_DEVICE_NOT_READY);
    KsStreamPointerDelete(silent);
    EXPECT_TRUE(lone.queue->validate());
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueCancelTest, ACallbackThatDoesNotDeleteOrWorksOnTheQueueIsReported) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine()), b(machine());
    a.send(*lone.queue);
    b.send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    PKSSTREAM_POINTER other = clone_of(leading, nullptr), kept = clone_of(leading, &callback);
    g_seen.then = [&](PKSSTREAM_POINTER pointer) {
      EXPECT_EQ(KsStreamPointerLock(pointer), STATUS_DEVICE_NOT_READY);
      EXPECT_EQ(KsStreamPointerAdvance(leading->body()), STATUS_DEVICE_NOT_READY);
      KsStreamPointerDelete(other);
    };
    machine().irps().cancel(*a.irp);
    EXPECT_EQ(broken(), Names(4, "KsCancelCallbackMisused"));
    EXPECT_EQ(a.status.Status, STATUS_CANCELLED) << "the client does not wait for a driver that forgot";
    KsStreamPointerDelete(kept);
    KsStreamPointerDelete(other);
    EXPECT_EQ(lone.queue->first_clone(), nullptr);
    EXPECT_TRUE(lone.queue->validate());
    lone.queue->flush(STATUS_CANCELLED);
  });
  EXPECT_EQ(broken(), Names(4, "KsCancelCallbackMisused"));
}

// --- Timeouts ---

TEST_F(QueueCancelTest, ATimeoutComesOnceAtItsTimeUnlessItIsCancelledOrReplaced) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine());
    a.send(*lone.queue);
    StreamPointer* leading = lone.queue->leading();
    PKSSTREAM_POINTER kept = clone_of(leading, nullptr), deleted = clone_of(leading, nullptr),
                      cancelled = clone_of(leading, nullptr);
    std::vector<base::TimeNs> times;
    g_seen.then = [&](PKSSTREAM_POINTER) { times.push_back(machine().executor().now()); };
    base::TimeNs start = machine().executor().now();
    KsStreamPointerScheduleTimeout(deleted, &callback, 5'000);
    KsStreamPointerScheduleTimeout(cancelled, &callback, 6'000);
    KsStreamPointerScheduleTimeout(kept, &callback, 50'000);
    KsStreamPointerScheduleTimeout(kept, &callback, 10'000);  // replaces
    KsStreamPointerDelete(deleted);
    KsStreamPointerCancelTimeout(cancelled);
    KsStreamPointerCancelTimeout(leading->body());  // has none
    LARGE_INTEGER wait;
    wait.QuadPart = -100'000;
    KeDelayExecutionThread(KernelMode, FALSE, &wait);
    EXPECT_EQ(g_seen.pointers, std::vector<PKSSTREAM_POINTER>{kept});
    EXPECT_EQ(g_seen.irqls, std::vector<KIRQL>{DISPATCH_LEVEL});
    ASSERT_EQ(times.size(), 1u);
    EXPECT_GE(times[0] - start, 1'000'000u);
    EXPECT_LT(times[0] - start, 1'200'000u);
    KsStreamPointerDelete(kept);
    KsStreamPointerDelete(cancelled);
    lone.queue->flush(STATUS_CANCELLED);
  });
  EXPECT_EQ(broken(), Names{});
}

TEST_F(QueueCancelTest, ATimeoutsCallbackMayDeleteItsClone) {
  with_queue({}, [&](LoneQueue& lone) {
    ClientRequest a(machine());
    a.send(*lone.queue);
    PKSSTREAM_POINTER clone = clone_of(lone.queue->leading(), nullptr);
    lone.queue->leading()->advance();
    g_seen.then = [](PKSSTREAM_POINTER pointer) { KsStreamPointerDelete(pointer); };
    KsStreamPointerScheduleTimeout(clone, &callback, 100);
    LARGE_INTEGER wait;
    wait.QuadPart = -1'000;
    KeDelayExecutionThread(KernelMode, FALSE, &wait);
    EXPECT_EQ(a.status.Status, STATUS_SUCCESS);
  });
  EXPECT_EQ(broken(), Names{});
}

// --- Everything at once ---

// A driver that does anything the pages allow, clients that send and cancel. After every step the queue is whole, and
// in the end every request has been completed once.
class Storm {
 public:
  Storm(Machine& machine, LoneQueue& lone, uint64_t seed) : machine_(machine), lone_(lone), random_(seed) {}

  void step() {
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        send();
        break;
      case 3:
        cancel();
        break;
      case 4:
        clone();
        break;
      case 5:
        remove();
        break;
      case 6:
        some_pointer().lock();
        break;
      case 7:
        if (StreamPointer& pointer = some_pointer(); pointer.locked())
          pointer.unlock(below(2) ? Eject::Yes : Eject::No);
        break;
      case 8:
        some_pointer().advance();
        break;
      case 9:
        use();
        break;
      case 10:
        if (below(20) == 0) lone_.queue->flush(STATUS_CANCELLED);
        break;
      case 11:
        if (StreamPointer& pointer = some_pointer(); below(2)) {
          pointer.schedule_timeout(&timed_out, below(50) + 1);
        } else {
          pointer.cancel_timeout();
        }
        break;
    }
  }
  void finish() {
    while (StreamPointer* each = lone_.queue->first_clone()) each->remove();
    for (StreamPointer* edge : {lone_.queue->leading(), lone_.queue->trailing()}) {
      if (edge && edge->locked()) edge->unlock(Eject::No);
    }
    lone_.queue->flush(STATUS_CANCELLED);
    for (auto& request : requests_) EXPECT_TRUE(request->done());
  }

 private:
  static void cancelled(PKSSTREAM_POINTER pointer) { KsStreamPointerDelete(pointer); }
  static void timed_out(PKSSTREAM_POINTER) {}
  uint64_t below(uint64_t limit) { return random_() % limit; }

  StreamPointer& some_pointer() {
    std::vector<StreamPointer*> all = {lone_.queue->leading()};
    if (StreamPointer* trailing = lone_.queue->trailing()) all.push_back(trailing);
    for (StreamPointer* each = lone_.queue->first_clone(); each; each = each->next_clone()) all.push_back(each);
    return *all[below(all.size())];
  }
  void send() {
    ClientRequest::Options options;
    options.frames = static_cast<uint32_t>(below(3) + 1);
    options.bytes = static_cast<uint32_t>(below(3) * 16);
    requests_.push_back(std::make_unique<ClientRequest>(machine_, options));
    requests_.back()->send(*lone_.queue);
  }
  void cancel() {
    if (requests_.empty()) return;
    ClientRequest& request = *requests_[below(requests_.size())];
    if (!request.done()) machine_.irps().cancel(*request.irp);
  }
  void clone() {
    (void)some_pointer().clone(below(2) ? &cancelled : nullptr, 8 * static_cast<uint32_t>(below(3))).ok();
  }
  void remove() {
    if (StreamPointer& pointer = some_pointer(); pointer.kind() == StreamPointer::Kind::Clone) pointer.remove();
  }
  void use() {
    StreamPointer& pointer = some_pointer();
    if (!pointer.locked()) return;
    auto count = static_cast<uint32_t>(below((*pointer).OffsetOut.Remaining + 1));
    pointer.advance_offsets(0, count, below(4) == 0 ? Eject::Yes : Eject::No, below(2) ? Then::Keep : Then::Unlock);
  }

  Machine& machine_;
  LoneQueue& lone_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<ClientRequest>> requests_;
};

TEST_F(QueueCancelTest, RandomStepsLeaveTheQueueWhole) {
  constexpr ULONG kFlags[] = {0, KSPIN_FLAG_ENFORCE_FIFO, KSPIN_FLAG_DISTINCT_TRAILING_EDGE,
                              KSPIN_FLAG_ENFORCE_FIFO | KSPIN_FLAG_DISTINCT_TRAILING_EDGE};
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    with_queue({.flags = kFlags[seed % 4]}, [&](LoneQueue& lone) {
      Storm storm(machine(), lone, seed);
      for (int i = 0; i < 400; ++i) {
        storm.step();
        ASSERT_TRUE(lone.queue->validate()) << "step " << i;
      }
      storm.finish();
      EXPECT_TRUE(lone.queue->empty());
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(broken(), Names{});
}

// Sends what reaches it to a queue, as a pin's device does.
NTSTATUS dispatch(PDEVICE_OBJECT device, PIRP irp) {
  auto& queue = *static_cast<Queue*>(device->DeviceExtension);
  auto probed = StreamIrp::probe(queue, *irp);
  EXPECT_TRUE(probed.ok());
  IoMarkIrpPending(irp);
  (void)queue.add(probed.take()).ok();
  return STATUS_PENDING;
}

// A client that cancels while the driver, on another thread, is anywhere in its work.
TEST_F(QueueCancelTest, CancellationMeetsTheDriverAnywhere) {
  uint32_t cancelled = 0, completed = 0;
  run_seeds(200, [&] {
    LoneQueue lone(machine(), {});
    machine().irps().own_routine(&dispatch);
    DRIVER_OBJECT driver{};
    driver.MajorFunction[IRP_MJ_DEVICE_CONTROL] = &dispatch;
    DEVICE_OBJECT device{};
    device.DriverObject = &driver;
    device.DeviceExtension = &*lone.queue;
    ClientRequest a(machine()), b(machine());
    nt::IoRequest first(machine()), second(machine());
    IoSkipCurrentIrpStackLocation(a.irp);
    IoSkipCurrentIrpStackLocation(b.irp);
    EXPECT_EQ(first.send(device, *a.irp), STATUS_PENDING);
    EXPECT_EQ(second.send(device, *b.irp), STATUS_PENDING);
    machine().create_thread("driver", [&] {
      StreamPointer* leading = lone.queue->leading();
      for (int i = 0; i < 2; ++i) {
        if (!NT_SUCCESS(leading->lock())) continue;
        auto clone = leading->clone(nullptr, 0);
        leading->unlock(Eject::Yes);
        if (clone.ok()) clone.take()->remove();
      }
      lone.queue->flush(STATUS_CANCELLED);
    });
    first.cancel();
    NTSTATUS ended = first.wait();
    EXPECT_TRUE(ended == STATUS_SUCCESS || ended == STATUS_CANCELLED);
    ++(ended == STATUS_SUCCESS ? completed : cancelled);
    second.wait();
    EXPECT_TRUE(lone.queue->empty() && lone.queue->validate());
  });
  EXPECT_EQ(broken(), Names{});
  EXPECT_GT(cancelled, 0u);
  EXPECT_GT(completed, 0u);
}

}  // namespace
}  // namespace ks
