#include <gmock/gmock.h>

#include "nt/ke/timers.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

LARGE_INTEGER relative_ms(LONGLONG ms) { return {.QuadPart = -ms * 10'000}; }

class KeTimerTest : public MachineTest {
 protected:
  NTSTATUS wait(void* object, LARGE_INTEGER* timeout = nullptr) {
    return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, timeout);
  }
  void delay_ms(LONGLONG ms) {
    LARGE_INTEGER interval = relative_ms(ms);
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
  }
  base::TimeNs now() { return machine().executor().now(); }
  static void count(KDPC*, void* counter, void*, void*) { ++*static_cast<int*>(counter); }
};

TEST_F(KeTimerTest, ARelativeOneExpiresOnTime) {
  run_seeds(10, [&] {
    KTIMER timer;
    KeInitializeTimer(&timer);
    base::TimeNs start = now();
    EXPECT_FALSE(KeSetTimer(&timer, relative_ms(5), nullptr));
    EXPECT_FALSE(KeReadStateTimer(&timer));
    EXPECT_EQ(wait(&timer), STATUS_SUCCESS);
    EXPECT_GE(now() - start, 5'000'000u);
    EXPECT_LT(now() - start, 5'010'000u);
    EXPECT_TRUE(KeReadStateTimer(&timer));  // a notification timer stays signalled
    EXPECT_EQ(wait(&timer), STATUS_SUCCESS);
    EXPECT_FALSE(KeCancelTimer(&timer));  // no longer armed
  });
}

TEST_F(KeTimerTest, AnAbsoluteOneExpiresAtItsTimeOfDay) {
  run_seeds(5, [&] {
    KTIMER timer;
    KeInitializeTimer(&timer);
    LARGE_INTEGER due, after;
    KeQuerySystemTime(&due);
    due.QuadPart += 70'000;
    KeSetTimer(&timer, due, nullptr);
    wait(&timer);
    KeQuerySystemTime(&after);
    EXPECT_GE(after.QuadPart, due.QuadPart);
    EXPECT_LT(after.QuadPart, due.QuadPart + 100);
    KeSetTimer(&timer, due, nullptr);  // a time that is past
    base::TimeNs start = now();
    wait(&timer);
    EXPECT_LT(now() - start, 10'000u);
  });
}

TEST_F(KeTimerTest, ASynchronizationTimerLetsOnePass) {
  run_seeds(10, [&] {
    KTIMER timer;
    KeInitializeTimerEx(&timer, SynchronizationTimer);
    int past = 0;
    for (int i = 0; i < 3; ++i) machine().create_thread("waiter", [&] { wait(&timer), ++past; });
    KeSetTimer(&timer, relative_ms(1), nullptr);
    delay_ms(5);
    EXPECT_EQ(past, 1);
    EXPECT_FALSE(KeReadStateTimer(&timer));
    KeSetTimerEx(&timer, relative_ms(1), 1, nullptr);
    delay_ms(5);
    EXPECT_EQ(past, 3);
    KeCancelTimer(&timer);
  });
}

TEST_F(KeTimerTest, APeriodicOneKeepsItsRhythm) {
  run_seeds(10, [&] {
    KTIMER timer;
    KDPC dpc;
    int ran = 0;
    KeInitializeTimerEx(&timer, NotificationTimer);
    KeInitializeDpc(&dpc, &count, &ran);
    EXPECT_FALSE(KeSetTimerEx(&timer, relative_ms(3), 10, &dpc));
    delay_ms(2);
    EXPECT_EQ(ran, 0);
    for (int i = 1; i <= 5; ++i) {
      delay_ms(i == 1 ? 3 : 10);
      EXPECT_EQ(ran, i);
    }
    EXPECT_TRUE(KeCancelTimer(&timer));
    delay_ms(50);
    EXPECT_EQ(ran, 5);
  });
}

TEST_F(KeTimerTest, ACancelledOneDoesNotExpire) {
  run_seeds(10, [&] {
    KTIMER timer;
    KDPC dpc;
    int ran = 0;
    KeInitializeTimer(&timer);
    KeInitializeDpc(&dpc, &count, &ran);
    EXPECT_FALSE(KeCancelTimer(&timer));
    KeSetTimer(&timer, relative_ms(1), &dpc);
    EXPECT_TRUE(KeCancelTimer(&timer));
    EXPECT_FALSE(KeCancelTimer(&timer));
    LARGE_INTEGER timeout = relative_ms(5);
    EXPECT_EQ(wait(&timer, &timeout), STATUS_TIMEOUT);
    EXPECT_EQ(ran, 0);
  });
}

TEST_F(KeTimerTest, SettingItAgainReplacesTheOldTime) {
  run_seeds(10, [&] {
    KTIMER timer;
    KDPC dpc;
    int ran = 0;
    KeInitializeTimer(&timer);
    KeInitializeDpc(&dpc, &count, &ran);
    KeSetTimer(&timer, relative_ms(1), &dpc);
    EXPECT_TRUE(KeSetTimer(&timer, relative_ms(10), &dpc));
    delay_ms(5);
    EXPECT_EQ(ran, 0);
    EXPECT_TRUE(KeSetTimer(&timer, relative_ms(1), &dpc));  // sooner than the clock sleeps
    delay_ms(2);
    EXPECT_EQ(ran, 1);
    EXPECT_TRUE(KeReadStateTimer(&timer));
    EXPECT_FALSE(KeSetTimer(&timer, relative_ms(1), nullptr));  // which also makes it unsignalled
    EXPECT_FALSE(KeReadStateTimer(&timer));
    delay_ms(30);
    EXPECT_EQ(ran, 1);
  });
}

// A driver that sets a time-out for each request and cancels it long before it is due.
TEST_F(KeTimerTest, CancelledOnesAreNotKeptUntilTheyAreDue) {
  run_seeds(5, [&] {
    KTIMER last, first, often;
    for (KTIMER* timer : {&last, &first, &often}) KeInitializeTimer(timer);
    KeSetTimer(&last, relative_ms(3'600'000), nullptr);
    base::TimeNs start = now();
    KeSetTimer(&first, relative_ms(5), nullptr);
    for (int i = 0; i < 10'000; ++i) {
      KeSetTimer(&often, relative_ms(60'000 + i), nullptr);
      if (i % 2) EXPECT_TRUE(KeCancelTimer(&often));
      ASSERT_LE(machine().timers().entry_count(), 2 * (Timers::kStaleKept + 2));
    }
    EXPECT_EQ(wait(&first), STATUS_SUCCESS);
    EXPECT_GE(now() - start, 5'000'000u);
    EXPECT_TRUE(KeCancelTimer(&last));
  });
}

TEST_F(KeTimerTest, ManyExpireInTheOrderOfTheirTimes) {
  run_seeds(10, [&] {
    struct Shot {
      KTIMER timer;
      KDPC dpc;
      std::vector<int>* order;
      int id;
    } shots[20];
    std::vector<int> order;
    for (int i = 0; i < 20; ++i) {
      Shot& shot = shots[i];
      shot.order = &order;
      shot.id = (i * 7) % 20;
      KeInitializeTimer(&shot.timer);
      KeInitializeDpc(
          &shot.dpc,
          [](KDPC*, void* raw, void*, void*) {
            auto* self = static_cast<Shot*>(raw);
            self->order->push_back(self->id);
          },
          &shot);
      KeSetTimer(&shot.timer, relative_ms(1 + shot.id), &shot.dpc);
    }
    delay_ms(30);
    std::vector<int> expected(20);
    for (int i = 0; i < 20; ++i) expected[static_cast<size_t>(i)] = i;
    EXPECT_EQ(order, expected);
  });
}

TEST_F(KeTimerTest, ItsDpcRunsAtDispatch) {
  run_seeds(10, [&] {
    KTIMER timer;
    KDPC dpc;
    KIRQL irql = 0;
    KeInitializeTimer(&timer);
    KeInitializeDpc(
        &dpc, [](KDPC*, void* out, void*, void*) { *static_cast<KIRQL*>(out) = KeGetCurrentIrql(); }, &irql);
    KeSetTimer(&timer, relative_ms(1), &dpc);
    wait(&timer);
    KeFlushQueuedDpcs();
    EXPECT_EQ(irql, DISPATCH_LEVEL);
  });
}

TEST_F(KeTimerTest, AnArmedOneIsNotInitialisedAgain) {
  observer.then = Then::GoOn;
  run([&] {
    KTIMER timer{};
    KeSetTimer(&timer, relative_ms(1), nullptr);
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, relative_ms(1), nullptr);
    KeInitializeTimer(&timer);
    delay_ms(2);
  });
  EXPECT_EQ(broken(), (Strings{"NotInitialised", "ReinitialisedLive"}));
}

TEST_F(KeTimerTest, AFarFutureDoesNotOverflow) {
  run([&] {
    KTIMER timer;
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, LARGE_INTEGER{.QuadPart = INT64_MIN}, nullptr);
    EXPECT_TRUE(KeSetTimer(&timer, LARGE_INTEGER{.QuadPart = INT64_MAX}, nullptr));
    delay_ms(1000);
    EXPECT_FALSE(KeReadStateTimer(&timer));
    EXPECT_TRUE(KeCancelTimer(&timer));
  });
}

TEST_F(KeTimerTest, TheDpcOfAnArmedTimerMustNotBeFreed) {
  observer.then = Then::GoOn;
  run([&] {
    KTIMER timer;
    KeInitializeTimer(&timer);
    constexpr uint32_t kTag = 0x74706443;
    auto routine = [](PKDPC, PVOID, PVOID, PVOID) { ADD_FAILURE() << "a DPC ran that was freed"; };
    auto make = [&] {
      auto* made = static_cast<KDPC*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KDPC), kTag));
      KeInitializeDpc(made, routine, nullptr);
      return made;
    };
    KDPC* dpc = make();
    KeSetTimer(&timer, relative_ms(1), dpc);
    KeSetTimer(&timer, relative_ms(1), dpc);
    KeCancelTimer(&timer);
    ExFreePoolWithTag(dpc, kTag);
    EXPECT_EQ(broken(), Strings{});
    dpc = make();
    KeSetTimerEx(&timer, relative_ms(1), 1, dpc);
    ExFreePoolWithTag(dpc, kTag);
    delay_ms(5);
    KeCancelTimer(&timer);
  });
  ASSERT_EQ(broken(), Strings{"FreedLiveDpc"});
  EXPECT_THAT(observer.violations[0].sentence, ::testing::HasSubstr("holds the DPC of an armed timer"));
}

TEST_F(KeTimerTest, ATimerIsNotSetWithADpcThatWasNeverInitialised) {
  observer.then = Then::GoOn;
  run([&] {
    KTIMER timer;
    KDPC dpc{};
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, relative_ms(1), &dpc);
    delay_ms(2);
    EXPECT_TRUE(KeReadStateTimer(&timer));
  });
  EXPECT_EQ(broken(), Strings{"NotInitialised"});
}

}  // namespace
}  // namespace nt
