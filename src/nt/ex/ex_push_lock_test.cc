#include "base/rng.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

constexpr ULONG kTag = 0x68737550;  // "Push"

class ExPushLockTest : public MachineTest {
 protected:
  ExPushLockTest() { observer.then = Then::GoOn; }
  void enter() { ++machine().self().critical_regions; }
  void leave() { --machine().self().critical_regions; }
  void pause() { machine().executor().yield(base::Point::Yield); }
};

TEST_F(ExPushLockTest, ReadersAndWritersNeverMeet) {
  run_seeds(40, [&] {
    EX_PUSH_LOCK lock;
    ExInitializePushLock(&lock);
    int readers = 0, writers = 0, done = 0;
    for (uint64_t t = 0; t < 5; ++t) {
      machine().create_thread("worker", [&, t] {
        base::Rng rng(options.seed * 5 + t);
        enter();
        for (int i = 0; i < 12; ++i) {
          if (rng.below(3) == 0) {
            ExAcquirePushLockExclusive(&lock);
            EXPECT_EQ(readers + writers++, 0);
            pause();
            --writers;
            ExReleasePushLockExclusive(&lock);
          } else {
            ExAcquirePushLockShared(&lock);
            EXPECT_EQ(writers, 0);
            ++readers;
            pause();
            --readers;
            ExReleasePushLockShared(&lock);
          }
        }
        leave();
        ++done;
      });
    }
    while (done < 5) pause();
    EXPECT_EQ(lock, 0u);
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(ExPushLockTest, OnlySharedAccessIsGivenTwice) {
  run_to_stop([&] {
    EX_PUSH_LOCK lock;
    ExInitializePushLock(&lock);
    enter();
    ExAcquirePushLockShared(&lock);
    ExAcquirePushLockShared(&lock);
    ExReleasePushLockShared(&lock);
    ExReleasePushLockShared(&lock);
    EXPECT_EQ(lock, 0u);
    EXPECT_EQ(broken(), Strings{});
    observer.then = Then::Stop;
    ExAcquirePushLockExclusive(&lock);
    ExAcquirePushLockShared(&lock);
  });
  EXPECT_EQ(broken(), Strings{"LockRecursion"});
}

TEST_F(ExPushLockTest, AReleaseMustFitItsAcquisition) {
  run([&] {
    EX_PUSH_LOCK lock;
    ExInitializePushLock(&lock);
    enter();
    ExReleasePushLockShared(&lock);
    ExAcquirePushLockShared(&lock);
    ExReleasePushLockExclusive(&lock);
    ExInitializePushLock(&lock);
    ExReleasePushLockShared(&lock);
    EXPECT_EQ(lock, 0u);
    leave();
  });
  EXPECT_EQ(broken(), (Strings{"LockNotHeld", "LockNotHeld", "ReinitialisedLive"}));
}

TEST_F(ExPushLockTest, NormalKernelApcsMustBeDisabled) {
  run([&] {
    EX_PUSH_LOCK lock;
    ExInitializePushLock(&lock);
    ExAcquirePushLockExclusive(&lock);
    ExReleasePushLockExclusive(&lock);
    ExAcquirePushLockShared(&lock);
    ExReleasePushLockShared(&lock);
  });
  EXPECT_EQ(broken(), (Strings{"ApcsNotDisabled", "ApcsNotDisabled"}));
}

TEST_F(ExPushLockTest, MemoryIsNotFreedWhileAThreadWaits) {
  run_to_stop([&] {
    auto* lock = static_cast<EX_PUSH_LOCK*>(ExAllocatePoolWithTag(PagedPool, sizeof(EX_PUSH_LOCK), kTag));
    ExInitializePushLock(lock);
    enter();
    ExAcquirePushLockExclusive(lock);
    machine().create_thread("waits", [&] {
      enter();
      ExAcquirePushLockExclusive(lock);
    });
    for (int i = 0; i < 100; ++i) pause();
    observer.then = Then::Stop;
    ExFreePoolWithTag(lock, kTag);
  });
  EXPECT_EQ(broken(), Strings{"FreedLiveWaiter"});
}

}  // namespace
}  // namespace nt
