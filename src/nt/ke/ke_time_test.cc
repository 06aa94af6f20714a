#include "nt/ke/timers.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

class KeTimeTest : public MachineTest {
 protected:
  void delay_ms(LONGLONG ms) {
    LARGE_INTEGER interval{.QuadPart = -ms * 10'000};
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
  }
};

TEST_F(KeTimeTest, AllClocksMoveTogether) {
  run([&] {
    LARGE_INTEGER day1, day2, ticks1, ticks2, frequency;
    KeQuerySystemTime(&day1);
    KeQueryTickCount(&ticks1);
    ULONGLONG interrupt1 = KeQueryInterruptTime();
    LARGE_INTEGER counter1 = KeQueryPerformanceCounter(&frequency);
    delay_ms(1000);
    KeQuerySystemTimePrecise(&day2);
    KeQueryTickCount(&ticks2);
    ULONGLONG interrupt2 = KeQueryInterruptTime();
    LARGE_INTEGER counter2 = KeQueryPerformanceCounter(nullptr);
    EXPECT_NEAR(static_cast<double>(day2.QuadPart - day1.QuadPart), 1e7, 1000);
    EXPECT_NEAR(static_cast<double>(interrupt2 - interrupt1), 1e7, 1000);
    EXPECT_NEAR(static_cast<double>(counter2.QuadPart - counter1.QuadPart), static_cast<double>(frequency.QuadPart),
                1000);
    EXPECT_EQ(ticks2.QuadPart - ticks1.QuadPart, 10'000'000 / KeQueryTimeIncrement());
    ULONG64 stamp = 0;
    EXPECT_EQ(KeQueryInterruptTimePrecise(&stamp), stamp);
    EXPECT_EQ(KeQueryUnbiasedInterruptTime(), KeQueryInterruptTime());
  });
}

TEST_F(KeTimeTest, AMachineStartsAtTheSameTimeOfDay) {
  LARGE_INTEGER first{}, second{};
  run([&] { KeQuerySystemTime(&first); });
  run([&] { KeQuerySystemTime(&second); });
  EXPECT_EQ(first.QuadPart, second.QuadPart);
  EXPECT_GE(static_cast<uint64_t>(first.QuadPart), Timers::kBootSystemTime);
}

TEST_F(KeTimeTest, AStallTakesItsTime) {
  run([&] {
    ULONGLONG before = KeQueryInterruptTime();
    KeStallExecutionProcessor(50);
    EXPECT_GE(KeQueryInterruptTime() - before, 500u);
    EXPECT_LT(KeQueryInterruptTime() - before, 510u);
  });
}

TEST_F(KeTimeTest, APollOfTheClockEnds) {
  run_seeds(5, [&] {
    ULONGLONG until = KeQueryInterruptTime() + 1000;
    int polls = 0;
    while (KeQueryInterruptTime() < until) {
      KeStallExecutionProcessor(1);
      ASSERT_LT(++polls, 200);
    }
  });
}

TEST_F(KeTimeTest, LocalTimeIsUtc) {
  run([&] {
    LARGE_INTEGER now, local, back;
    KeQuerySystemTime(&now);
    ExSystemTimeToLocalTime(&now, &local);
    ExLocalTimeToSystemTime(&local, &back);
    EXPECT_EQ(back.QuadPart, now.QuadPart);
    EXPECT_EQ(local.QuadPart, now.QuadPart);
  });
}

}  // namespace
}  // namespace nt
