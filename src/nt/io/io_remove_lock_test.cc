#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class IoRemoveLockTest : public MachineTest {
 protected:
  IoRemoveLockTest() { observer.then = Then::GoOn; }
  void pause() { machine().executor().yield(base::Point::Yield); }
  static PVOID tag(uintptr_t value) { return reinterpret_cast<PVOID>(value); }
  static constexpr ULONG kTag = 0x6B636F4C;  // "Lock"
};

TEST_F(IoRemoveLockTest, ALockThatWasWaitedForIsNotAcquiredAgain) {
  run([&] {
    IO_REMOVE_LOCK lock{};
    IoInitializeRemoveLock(&lock, kTag, 0, 0);
    EXPECT_EQ(IoAcquireRemoveLock(&lock, tag(1)), STATUS_SUCCESS);
    EXPECT_EQ(IoAcquireRemoveLock(&lock, tag(2)), STATUS_SUCCESS);
    IoReleaseRemoveLock(&lock, tag(1));
    IoReleaseRemoveLockAndWait(&lock, tag(2));
    EXPECT_EQ(IoAcquireRemoveLock(&lock, tag(3)), STATUS_DELETE_PENDING);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(IoRemoveLockTest, TheWaitEndsWithTheLastOperation) {
  run_seeds(40, [&] {
    IO_REMOVE_LOCK lock{};
    IoInitializeRemoveLock(&lock, kTag, 0, 0);
    int inside = 0, done = 0;
    for (uintptr_t t = 1; t <= 4; ++t) {
      machine().create_thread("operation", [&, t] {
        while (NT_SUCCESS(IoAcquireRemoveLock(&lock, tag(t)))) {
          ++inside;
          pause();
          --inside;
          IoReleaseRemoveLock(&lock, tag(t));
        }
        ++done;
      });
    }
    for (int i = 0; i < 20; ++i) pause();
    ASSERT_EQ(IoAcquireRemoveLock(&lock, tag(9)), STATUS_SUCCESS);
    IoReleaseRemoveLockAndWait(&lock, tag(9));
    EXPECT_EQ(inside, 0);
    while (done < 4) pause();
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(IoRemoveLockTest, ReleasesMustFitAcquisitions) {
  run([&] {
    IO_REMOVE_LOCK lock{};
    IoInitializeRemoveLock(&lock, kTag, 0, 0);
    IoReleaseRemoveLock(&lock, nullptr);
    EXPECT_EQ(broken(), Strings{"RemoveLockMisuse"});
    IoAcquireRemoveLock(&lock, tag(1));
    IoAcquireRemoveLock(&lock, tag(2));
    IoAcquireRemoveLock(&lock, tag(3));
    IoReleaseRemoveLock(&lock, tag(2));
    EXPECT_EQ(broken().size(), 1u);
    IoReleaseRemoveLock(&lock, tag(4));
    ASSERT_EQ(broken().size(), 2u);
    EXPECT_EQ(observer.violations[1].stacks.back().role, "acquired");
    IoReleaseRemoveLock(&lock, tag(1));
    EXPECT_EQ(broken().size(), 2u);
  });
}

TEST_F(IoRemoveLockTest, OneWaitsOnceAndAfterAnAcquisition) {
  run([&] {
    IO_REMOVE_LOCK lock{};
    IoInitializeRemoveLock(&lock, kTag, 0, 0);
    IoReleaseRemoveLockAndWait(&lock, tag(1));
    IoReleaseRemoveLockAndWait(&lock, tag(1));
    IoInitializeRemoveLock(&lock, kTag, 0, 0);
  });
  ASSERT_EQ(broken(), (Strings{"RemoveLockMisuse", "RemoveLockMisuse", "RemoveLockMisuse"}));
  EXPECT_NE(observer.violations[0].sentence.find("not acquired"), std::string::npos);
  EXPECT_NE(observer.violations[1].sentence.find("second time"), std::string::npos);
  EXPECT_NE(observer.violations[2].sentence.find("IoInitializeRemoveLock after"), std::string::npos);
}

TEST_F(IoRemoveLockTest, TheLimitsThatItsDriverSetAreKept) {
  run([&] {
    IO_REMOVE_LOCK lock{};
    IoInitializeRemoveLock(&lock, kTag, 1, 2);
    IoAcquireRemoveLock(&lock, nullptr);
    IoAcquireRemoveLock(&lock, nullptr);
    EXPECT_EQ(broken(), Strings{});
    IoAcquireRemoveLock(&lock, nullptr);
    EXPECT_EQ(broken().size(), 1u);
    LARGE_INTEGER minutes;
    minutes.QuadPart = -int64_t{90} * 10'000'000;
    KeDelayExecutionThread(KernelMode, FALSE, &minutes);
    IoReleaseRemoveLock(&lock, nullptr);
    EXPECT_EQ(broken().size(), 2u);
  });
  EXPECT_NE(observer.violations[0].sentence.find("3 times"), std::string::npos);
  EXPECT_NE(observer.violations[1].sentence.find("1 minutes"), std::string::npos);
}

TEST_F(IoRemoveLockTest, UninitialisedAndFreedLocksAreFound) {
  run([&] {
    IO_REMOVE_LOCK lock{};
    EXPECT_EQ(IoAcquireRemoveLock(&lock, nullptr), STATUS_DELETE_PENDING);
    auto* pooled = static_cast<IO_REMOVE_LOCK*>(ExAllocatePoolZero(NonPagedPoolNx, sizeof(IO_REMOVE_LOCK), kTag));
    IoInitializeRemoveLock(pooled, kTag, 0, 0);
    IoAcquireRemoveLock(pooled, nullptr);
    IoInitializeRemoveLock(pooled, kTag, 0, 0);
    ExFreePoolWithTag(pooled, kTag);
  });
  EXPECT_EQ(broken(), (Strings{"NotInitialised", "ReinitialisedLive", "RemoveLockMisuse"}));
}

}  // namespace
}  // namespace nt
