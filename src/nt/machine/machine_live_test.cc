// The same primitives over OS threads and real time. Nothing here waits for the clock but timers of a few milliseconds,
// and nothing fails because it is slow.
#include <atomic>
#include <thread>

#include "nt/mm/address_space.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

constexpr ULONG kTag = 0x6576694C;  // "Live"

class MachineLiveTest : public MachineTest {
 protected:
  MachineLiveTest() { options.pace = Pace::Live; }
};

TEST_F(MachineLiveTest, RunsItsBodyAndReturns) {
  bool ran = false;
  run([&] { ran = KeGetCurrentIrql() == PASSIVE_LEVEL; });
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

// --- Everything that was begun comes to its end ---

TEST_F(MachineLiveTest, ADpcOfTheOwnProcessorRunsAtPassiveLevel) {
  KDPC dpc;
  KEVENT ran;
  run([&] {
    KeInitializeEvent(&ran, NotificationEvent, FALSE);
    KeInitializeDpc(
        &dpc, [](KDPC*, void* event, void*, void*) { KeSetEvent(static_cast<KEVENT*>(event), 0, FALSE); }, &ran);
    for (int i = 0; i < 200; ++i) {
      KeClearEvent(&ran);
      EXPECT_TRUE(KeInsertQueueDpc(&dpc, nullptr, nullptr));
      EXPECT_EQ(KeWaitForSingleObject(&ran, Executive, KernelMode, FALSE, nullptr), STATUS_SUCCESS);
    }
  });
}

TEST_F(MachineLiveTest, WorkersEndWithTheMachine) {
  WORK_QUEUE_ITEM item{};
  KEVENT ran;
  run([&] {
    KeInitializeEvent(&ran, NotificationEvent, FALSE);
    item.WorkerRoutine = [](void* event) { KeSetEvent(static_cast<KEVENT*>(event), 0, FALSE); };
    item.Parameter = &ran;
    ExQueueWorkItem(&item, DelayedWorkQueue);
    KeWaitForSingleObject(&ran, Executive, KernelMode, FALSE, nullptr);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(MachineLiveTest, WhatIsQueuedAtTheEndIsDone) {
  WORK_QUEUE_ITEM item{};
  std::atomic<int> ran{0};
  run([&] {
    item.WorkerRoutine = [](void* count) { ++*static_cast<std::atomic<int>*>(count); };
    item.Parameter = &ran;
    ExQueueWorkItem(&item, DelayedWorkQueue);
  });
  EXPECT_EQ(ran, 1);
}

// A thread that the body leaves behind still needs DPCs and the clock.
TEST_F(MachineLiveTest, RunReturnsWhenEveryThreadHasEnded) {
  KTIMER timer;
  KDPC dpc;
  KEVENT ran;
  std::atomic<bool> ended{false};
  run([&] {
    KeInitializeTimer(&timer);
    KeInitializeEvent(&ran, NotificationEvent, FALSE);
    KeInitializeDpc(
        &dpc, [](KDPC*, void* event, void*, void*) { KeSetEvent(static_cast<KEVENT*>(event), 0, FALSE); }, &ran);
    machine().create_thread("late", [&] {
      while (!machine().ending()) std::this_thread::yield();
      LARGE_INTEGER due;
      due.QuadPart = -10'000;  // 1 ms
      KeSetTimer(&timer, due, &dpc);
      KeWaitForSingleObject(&ran, Executive, KernelMode, FALSE, nullptr);
      ended = true;
    });
  });
  EXPECT_TRUE(ended);
}

// A system thread may run before its maker goes on: it must know by then what it is.
TEST_F(MachineLiveTest, ASystemThreadIsOneFromItsBeginning) {
  constexpr int kThreads = 300;
  std::atomic<int> wrong{0};
  run([&] {
    for (int i = 0; i < kThreads; ++i) {
      HANDLE handle;
      auto routine = [](void* count) {
        if (!KeAreApcsDisabled()) ++*static_cast<std::atomic<int>*>(count);
        PsTerminateSystemThread(STATUS_SUCCESS);
        ++*static_cast<std::atomic<int>*>(count);  // it came back: it did not know that it is a system thread
      };
      ASSERT_EQ(PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, routine, &wrong),
                STATUS_SUCCESS);
      ZwClose(handle);
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(broken().empty()) << observer.violations[0].sentence;
}

TEST_F(MachineLiveTest, ThreadsAreMadeByManyAtOnce) {
  constexpr int kMakers = 4, kEach = 100;
  std::atomic<int> ran{0};
  run([&] {
    for (int i = 0; i < kMakers; ++i) {
      machine().create_thread("maker", [&] {
        for (int each = 0; each < kEach; ++each) {
          HANDLE handle;
          auto routine = [](void* count) { ++*static_cast<std::atomic<int>*>(count); };
          PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, routine, &ran);
          ZwClose(handle);
        }
      });
    }
  });
  EXPECT_EQ(ran, kMakers * kEach);
}

TEST_F(MachineLiveTest, AnAddressIsAskedForWithoutASimulation) {
  run([&] {
    int here = 0;
    EXPECT_TRUE(MmIsAddressValid(&here));
    EXPECT_FALSE(MmIsAddressValid(reinterpret_cast<void*>(kStackArena.base + 4096)));
  });
}

}  // namespace
}  // namespace nt
