// The same primitives over OS threads and real time. Nothing here waits for the clock but timers of a few milliseconds,
// and nothing fails because it is slow.
#include "nt/machine_fixture.h"

namespace nt {
namespace {

constexpr ULONG kTag = 0x6576694C;  // "Live"

class MachineLiveTest : public MachineTest {
 protected:
  MachineLiveTest() { options.pace = Pace::Live; }
};

TEST_F(MachineLiveTest, RunsItsBodyAndReturns) {
  bool ran = false;
  EXPECT_EQ(run([&] { ran = KeGetCurrentIrql() == PASSIVE_LEVEL; }), Machine::Ended::Returned);
  EXPECT_TRUE(ran);
}

TEST_F(MachineLiveTest, SpinLocksExclude) {
  constexpr int kThreads = 4, kRounds = 2'000;
  KSPIN_LOCK lock;
  int counter = 0;
  run([&] {
    KeInitializeSpinLock(&lock);
    std::vector<void*> bodies;
    for (int i = 0; i < kThreads; ++i) {
      Thread& thread = machine().create_thread("adder", [&] {
        for (int round = 0; round < kRounds; ++round) {
          KIRQL old;
          KeAcquireSpinLock(&lock, &old);
          ++counter;
          KeReleaseSpinLock(&lock, old);
        }
      });
      bodies.push_back(thread.body);
    }
    for (void* body : bodies) KeWaitForSingleObject(body, Executive, KernelMode, FALSE, nullptr);
  });
  EXPECT_EQ(counter, kThreads * kRounds);
  EXPECT_TRUE(broken().empty());
}

TEST_F(MachineLiveTest, EventsHandOver) {
  constexpr int kRounds = 500;
  KEVENT ping, pong;
  int turns = 0;
  run([&] {
    KeInitializeEvent(&ping, SynchronizationEvent, FALSE);
    KeInitializeEvent(&pong, SynchronizationEvent, FALSE);
    Thread& other = machine().create_thread("other", [&] {
      for (int i = 0; i < kRounds; ++i) {
        KeWaitForSingleObject(&ping, Executive, KernelMode, FALSE, nullptr);
        ++turns;
        KeSetEvent(&pong, 0, FALSE);
      }
    });
    for (int i = 0; i < kRounds; ++i) {
      KeSetEvent(&ping, 0, FALSE);
      KeWaitForSingleObject(&pong, Executive, KernelMode, FALSE, nullptr);
    }
    KeWaitForSingleObject(other.body, Executive, KernelMode, FALSE, nullptr);
  });
  EXPECT_EQ(turns, kRounds);
}

TEST_F(MachineLiveTest, ATimerRunsItsDpcAndIsSignalled) {
  KTIMER timer;
  KDPC dpc;
  KIRQL irql_of_dpc = PASSIVE_LEVEL;
  run([&] {
    KeInitializeTimer(&timer);
    KeInitializeDpc(
        &dpc, [](KDPC*, void* context, void*, void*) { *static_cast<KIRQL*>(context) = KeGetCurrentIrql(); },
        &irql_of_dpc);
    LARGE_INTEGER due;
    due.QuadPart = -20'000;  // 2 ms
    KeSetTimer(&timer, due, &dpc);
    EXPECT_EQ(KeWaitForSingleObject(&timer, Executive, KernelMode, FALSE, nullptr), STATUS_SUCCESS);
    KeFlushQueuedDpcs();
  });
  EXPECT_EQ(irql_of_dpc, DISPATCH_LEVEL);
}

TEST_F(MachineLiveTest, AWaitEndsAtItsDeadline) {
  KEVENT never;
  run([&] {
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    LARGE_INTEGER timeout;
    timeout.QuadPart = -10'000;  // 1 ms
    EXPECT_EQ(KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, &timeout), STATUS_TIMEOUT);
  });
}

TEST_F(MachineLiveTest, PoolIsSharedByThreads) {
  run([&] {
    std::vector<void*> bodies;
    for (int i = 0; i < 3; ++i) {
      Thread& thread = machine().create_thread("allocator", [] {
        for (int round = 0; round < 500; ++round) {
          void* block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 40 + static_cast<size_t>(round) % 100, kTag);
          ASSERT_NE(block, nullptr);
          ExFreePoolWithTag(block, kTag);
        }
      });
      bodies.push_back(thread.body);
    }
    KeWaitForMultipleObjects(3, bodies.data(), WaitAll, Executive, KernelMode, FALSE, nullptr, nullptr);
  });
  EXPECT_TRUE(broken().empty());
}

}  // namespace
}  // namespace nt
