#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class KeEventTest : public MachineTest {
 protected:
  NTSTATUS wait(void* object) { return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, nullptr); }
  NTSTATUS poll(void* object) {
    LARGE_INTEGER now{.QuadPart = 0};
    return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, &now);
  }
  void pass_time() {
    LARGE_INTEGER millisecond{.QuadPart = -10'000};
    KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
  }
  // Starts `count` threads that wait on the object, and returns how many of them have come past it.
  int& waiters(int count, void* object) {
    for (int i = 0; i < count; ++i) {
      machine().create_thread("waiter", [this, object] {
        EXPECT_EQ(wait(object), STATUS_SUCCESS);
        ++past_;
      });
    }
    past_ = 0;
    pass_time();
    return past_;
  }
  int past_ = 0;
};

TEST_F(KeEventTest, ANotificationEventLetsEveryonePass) {
  run_seeds(20, [&] {
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    int& past = waiters(4, &event);
    EXPECT_EQ(past, 0);
    EXPECT_EQ(KeSetEvent(&event, 0, FALSE), 0);
    pass_time();
    EXPECT_EQ(past, 4);
    EXPECT_EQ(KeReadStateEvent(&event), 1);
    EXPECT_EQ(KeSetEvent(&event, 0, FALSE), 1);
    EXPECT_EQ(wait(&event), STATUS_SUCCESS);
    EXPECT_EQ(KeResetEvent(&event), 1);
    EXPECT_EQ(KeResetEvent(&event), 0);
    EXPECT_EQ(poll(&event), STATUS_TIMEOUT);
  });
}

TEST_F(KeEventTest, ASynchronizationEventLetsOnePass) {
  run_seeds(20, [&] {
    KEVENT event;
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    int& past = waiters(3, &event);
    for (int i = 1; i <= 3; ++i) {
      EXPECT_EQ(KeSetEvent(&event, 0, FALSE), 0);
      pass_time();
      EXPECT_EQ(past, i);
      EXPECT_EQ(KeReadStateEvent(&event), 0);
    }
    KeSetEvent(&event, 0, FALSE);
    EXPECT_EQ(KeReadStateEvent(&event), 1);
    EXPECT_EQ(poll(&event), STATUS_SUCCESS);
    EXPECT_EQ(poll(&event), STATUS_TIMEOUT);
  });
}

TEST_F(KeEventTest, StartsInTheGivenState) {
  run([&] {
    KEVENT event;
    KeInitializeEvent(&event, SynchronizationEvent, TRUE);
    EXPECT_EQ(wait(&event), STATUS_SUCCESS);
    KeInitializeEvent(&event, NotificationEvent, TRUE);
    KeClearEvent(&event);
    EXPECT_EQ(KeReadStateEvent(&event), 0);
  });
}

TEST_F(KeEventTest, HandsOverBetweenThreadsUnderEverySchedule) {
  run_seeds(30, [&] {
    KEVENT turn[2];
    for (KEVENT& event : turn) KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    std::string log;
    Thread& other = machine().create_thread("other", [&] {
      for (int i = 0; i < 20; ++i) {
        wait(&turn[1]);
        log += 'b';
        KeSetEvent(&turn[0], 0, FALSE);
      }
    });
    std::string expected;
    for (int i = 0; i < 20; ++i) {
      log += 'a';
      expected += "ab";
      KeSetEvent(&turn[1], 0, FALSE);
      wait(&turn[0]);
    }
    wait(other.body);
    EXPECT_EQ(log, expected);
  });
}

TEST_F(KeEventTest, SettingWithAWaitToFollowMayNotBeRaised) {
  observer.then = Then::GoOn;
  run([&] {
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeSetEvent(&event, 0, FALSE);
    EXPECT_EQ(broken(), Strings{});
    KeSetEvent(&event, 0, TRUE);
    KeLowerIrql(old);
  });
  EXPECT_EQ(broken(), Strings{"WaitAtDispatch"});
}

TEST_F(KeEventTest, ASemaphoreLetsAsManyPassAsItCounts) {
  run_seeds(20, [&] {
    KSEMAPHORE semaphore;
    KeInitializeSemaphore(&semaphore, 0, 10);
    int& past = waiters(5, &semaphore);
    EXPECT_EQ(KeReleaseSemaphore(&semaphore, 0, 2, FALSE), 0);
    pass_time();
    EXPECT_EQ(past, 2);
    EXPECT_EQ(KeReleaseSemaphore(&semaphore, 0, 7, FALSE), 0);
    pass_time();
    EXPECT_EQ(past, 5);
    EXPECT_EQ(KeReadStateSemaphore(&semaphore), 4);
    EXPECT_EQ(KeReleaseSemaphore(&semaphore, 0, 6, FALSE), 4);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(poll(&semaphore), STATUS_SUCCESS);
    EXPECT_EQ(poll(&semaphore), STATUS_TIMEOUT);
    EXPECT_EQ(KeReadStateSemaphore(&semaphore), 0);
  });
}

TEST_F(KeEventTest, ASemaphoreBeyondItsLimitRaises) {
  run_to_stop([&] {
    KSEMAPHORE semaphore;
    KeInitializeSemaphore(&semaphore, 1, 2);
    KeReleaseSemaphore(&semaphore, 0, 1, FALSE);
    EXPECT_EQ(broken(), Strings{});
    KeReleaseSemaphore(&semaphore, 0, 1, FALSE);
    ADD_FAILURE() << "came back";
  });
  EXPECT_EQ(broken(), Strings{"UnhandledException"});
  EXPECT_EQ(observer.violations.at(0).sentence, "exception 0xC0000047 was raised and no handler takes it");
}

}  // namespace
}  // namespace nt
