#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

LARGE_INTEGER relative_ms(LONGLONG ms) { return {.QuadPart = -ms * 10'000}; }

class KeWaitTest : public MachineTest {
 protected:
  NTSTATUS wait(void* object, LARGE_INTEGER* timeout = nullptr) {
    return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, timeout);
  }
  NTSTATUS wait_for(std::initializer_list<void*> objects, WAIT_TYPE type, LARGE_INTEGER* timeout = nullptr) {
    std::vector<void*> list(objects);
    KWAIT_BLOCK blocks[MAXIMUM_WAIT_OBJECTS];
    return KeWaitForMultipleObjects(static_cast<ULONG>(list.size()), list.data(), type, Executive, KernelMode, FALSE,
                                    timeout, blocks);
  }
  void delay_ms(LONGLONG ms) {
    LARGE_INTEGER interval = relative_ms(ms);
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
  }
  base::TimeNs now() { return machine().executor().now(); }
  static void initialise(KEVENT (&events)[3], EVENT_TYPE type) {
    for (KEVENT& event : events) KeInitializeEvent(&event, type, FALSE);
  }
};

TEST_F(KeWaitTest, ATimeoutEndsTheWait) {
  run_seeds(10, [&] {
    KEVENT event;
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    base::TimeNs start = now();
    LARGE_INTEGER timeout = relative_ms(5);
    EXPECT_EQ(wait(&event, &timeout), STATUS_TIMEOUT);
    EXPECT_GE(now() - start, 5'000'000u);
    EXPECT_LT(now() - start, 5'010'000u);
    KeSetEvent(&event, 0, FALSE);  // no thread waits any more: the event stays signalled
    EXPECT_EQ(KeReadStateEvent(&event), 1);
    EXPECT_EQ(wait(&event, &timeout), STATUS_SUCCESS);
  });
}

TEST_F(KeWaitTest, AnAbsoluteTimeoutIsATimeOfDay) {
  run([&] {
    KEVENT event;
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    LARGE_INTEGER until;
    KeQuerySystemTime(&until);
    until.QuadPart += 30'000;
    EXPECT_EQ(wait(&event, &until), STATUS_TIMEOUT);
    LARGE_INTEGER after;
    KeQuerySystemTime(&after);
    EXPECT_GE(after.QuadPart, until.QuadPart);
    EXPECT_LT(after.QuadPart, until.QuadPart + 1000);
    EXPECT_EQ(wait(&event, &until), STATUS_TIMEOUT);  // it is past
  });
}

// A signal and a deadline at the same time: the wait ends once, with one answer, and the signal is not lost.
TEST_F(KeWaitTest, ASignalAtTheDeadlineIsTakenOrKept) {
  int taken = 0, kept = 0;
  run_seeds(60, [&] {
    KEVENT event;
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    NTSTATUS status = STATUS_PENDING;
    Thread& waiter = machine().create_thread("waiter", [&] {
      LARGE_INTEGER timeout{.QuadPart = -100};
      status = wait(&event, &timeout);
    });
    machine().create_thread("setter", [&] {
      machine().executor().stall(10'000);
      KeSetEvent(&event, 0, FALSE);
    });
    wait(waiter.body);
    delay_ms(1);
    EXPECT_EQ(KeReadStateEvent(&event), status == STATUS_TIMEOUT ? 1 : 0);
    ++(status == STATUS_TIMEOUT ? kept : taken);
  });
  EXPECT_GT(taken, 0);
  EXPECT_GT(kept, 0);
}

TEST_F(KeWaitTest, WaitAnyNamesTheOneThatWasSignalled) {
  run_seeds(10, [&] {
    KEVENT events[3];
    initialise(events, SynchronizationEvent);
    for (int i : {2, 0, 1}) {
      machine().create_thread("setter", [&events, i] { KeSetEvent(&events[i], 0, FALSE); });
      EXPECT_EQ(wait_for({&events[0], &events[1], &events[2]}, WaitAny), i);
      EXPECT_EQ(KeReadStateEvent(&events[i]), 0);
    }
    KeSetEvent(&events[1], 0, FALSE);
    KeSetEvent(&events[2], 0, FALSE);
    EXPECT_EQ(wait_for({&events[0], &events[1], &events[2]}, WaitAny), 1);  // the first one
    EXPECT_EQ(KeReadStateEvent(&events[2]), 1);                             // is the only one it takes
  });
}

TEST_F(KeWaitTest, WaitAllTakesAllOrNothing) {
  run_seeds(10, [&] {
    KEVENT events[3];
    initialise(events, SynchronizationEvent);
    NTSTATUS status = STATUS_PENDING;
    Thread& waiter = machine().create_thread("waiter", [&] {
      status = wait_for({&events[0], &events[1], &events[2]}, WaitAll);
    });
    KeSetEvent(&events[0], 0, FALSE);
    KeSetEvent(&events[2], 0, FALSE);
    delay_ms(1);
    EXPECT_EQ(status, STATUS_PENDING);
    EXPECT_EQ(KeReadStateEvent(&events[0]), 1);  // others can still have it
    EXPECT_EQ(wait(&events[0]), STATUS_SUCCESS);
    KeSetEvent(&events[1], 0, FALSE);
    delay_ms(1);
    EXPECT_EQ(status, STATUS_PENDING);
    KeSetEvent(&events[0], 0, FALSE);
    wait(waiter.body);
    EXPECT_EQ(status, STATUS_SUCCESS);
    for (KEVENT& event : events) EXPECT_EQ(KeReadStateEvent(&event), 0);
  });
}

TEST_F(KeWaitTest, WaitAllTimesOutWithNothingTaken) {
  run([&] {
    KEVENT events[3];
    initialise(events, SynchronizationEvent);
    KeSetEvent(&events[0], 0, FALSE);
    LARGE_INTEGER timeout = relative_ms(1);
    EXPECT_EQ(wait_for({&events[0], &events[1]}, WaitAll, &timeout), STATUS_TIMEOUT);
    EXPECT_EQ(KeReadStateEvent(&events[0]), 1);
    timeout.QuadPart = 0;
    EXPECT_EQ(wait_for({&events[0], &events[1]}, WaitAny, &timeout), 0);
    EXPECT_EQ(wait_for({&events[0], &events[1]}, WaitAny, &timeout), STATUS_TIMEOUT);
  });
}

// An object named twice is waited for once, whether the wait blocks or not.
TEST_F(KeWaitTest, AnObjectNamedTwiceIsTakenOnce) {
  run_seeds(10, [&] {
    KSEMAPHORE semaphore;
    KeInitializeSemaphore(&semaphore, 1, 5);
    EXPECT_EQ(wait_for({&semaphore, &semaphore}, WaitAll), STATUS_SUCCESS);
    EXPECT_EQ(KeReadStateSemaphore(&semaphore), 0);
    Thread& waiter = machine().create_thread("waiter", [&] {
      EXPECT_EQ(wait_for({&semaphore, &semaphore}, WaitAll), STATUS_SUCCESS);
      EXPECT_EQ(wait_for({&semaphore, &semaphore}, WaitAny), 0);
    });
    delay_ms(1);
    KeReleaseSemaphore(&semaphore, 0, 2, FALSE);
    wait(waiter.body);
    EXPECT_EQ(KeReadStateSemaphore(&semaphore), 0);
    KMUTEX mutex;
    KeInitializeMutex(&mutex, 0);
    EXPECT_EQ(wait_for({&mutex, &mutex}, WaitAll), STATUS_SUCCESS);
    EXPECT_EQ(machine().self().held.size(), 1u);
    KeReleaseMutex(&mutex, FALSE);
    EXPECT_EQ(KeReadStateMutex(&mutex), 1);
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(KeWaitTest, SixtyFourObjectsNeedWaitBlocks) {
  observer.then = Then::GoOn;
  run([&] {
    KEVENT events[64];
    void* objects[64];
    for (int i = 0; i < 64; ++i) {
      KeInitializeEvent(&events[i], NotificationEvent, i == 63);
      objects[i] = &events[i];
    }
    auto wait_with = [&](ULONG count, KWAIT_BLOCK* blocks) {
      LARGE_INTEGER now{.QuadPart = 0};
      return KeWaitForMultipleObjects(count, objects, WaitAny, Executive, KernelMode, FALSE, &now, blocks);
    };
    KWAIT_BLOCK blocks[64];
    EXPECT_EQ(wait_with(3, nullptr), STATUS_TIMEOUT);
    EXPECT_EQ(wait_with(64, blocks), 63);
    EXPECT_EQ(broken(), Strings{});
    wait_with(4, nullptr);
    wait_with(65, blocks);
    wait_with(0, blocks);
  });
  EXPECT_EQ(broken(), (Strings{"TooManyWaitObjects", "TooManyWaitObjects", "TooManyWaitObjects"}));
}

TEST_F(KeWaitTest, AWaitThatMayBlockIsNotForRaisedCode) {
  observer.then = Then::GoOn;
  run([&] {
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, TRUE);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    LARGE_INTEGER timeout{.QuadPart = 0};
    EXPECT_EQ(wait(&event, &timeout), STATUS_SUCCESS);  // this one cannot
    EXPECT_EQ(broken(), Strings{});
    wait(&event);  // may, though the event is signalled
    timeout = relative_ms(1);
    wait(&event, &timeout);
    KeLowerIrql(old);
  });
  EXPECT_EQ(broken(), (Strings{"WaitAtDispatch", "WaitAtDispatch"}));
  EXPECT_EQ(observer.violations.at(0).sentence, "KeWaitForSingleObject at DISPATCH_LEVEL may block");
  EXPECT_EQ(observer.violations.at(0).irql, DISPATCH_LEVEL);
}

TEST_F(KeWaitTest, ADelayLastsAsLongAsItSays) {
  run_seeds(10, [&] {
    base::TimeNs start = now();
    delay_ms(3);
    EXPECT_GE(now() - start, 3'000'000u);
    EXPECT_LT(now() - start, 3'010'000u);
    delay_ms(0);
  });
}

TEST_F(KeWaitTest, AThreadIsSignalledWhenItEnds) {
  run_seeds(20, [&] {
    bool ended = false;
    Thread& thread = machine().create_thread("worker", [&] {
      delay_ms(1);
      ended = true;
    });
    LARGE_INTEGER timeout{.QuadPart = 0};
    EXPECT_EQ(wait(thread.body, &timeout), STATUS_TIMEOUT);
    EXPECT_EQ(wait(thread.body), STATUS_SUCCESS);
    EXPECT_TRUE(ended);
    EXPECT_EQ(wait(thread.body), STATUS_SUCCESS);  // for good
  });
}

}  // namespace
}  // namespace nt
