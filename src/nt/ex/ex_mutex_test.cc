#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class ExMutexTest : public MachineTest {
 protected:
  ExMutexTest() { observer.then = Then::GoOn; }
  KIRQL irql() { return machine().self().irql; }
  uint32_t guarded() { return machine().self().guarded_regions; }
};

TEST_F(ExMutexTest, AFastMutexRaisesAndRestoresTheIrql) {
  run([&] {
    FAST_MUTEX mutex;
    ExInitializeFastMutex(&mutex);
    ExAcquireFastMutex(&mutex);
    EXPECT_EQ(irql(), APC_LEVEL);
    ExReleaseFastMutex(&mutex);
    EXPECT_EQ(irql(), PASSIVE_LEVEL);
    EXPECT_TRUE(ExTryToAcquireFastMutex(&mutex));
    EXPECT_EQ(irql(), APC_LEVEL);
    ExReleaseFastMutex(&mutex);
    machine().raise_irql(APC_LEVEL);
    ExAcquireFastMutex(&mutex);
    ExReleaseFastMutex(&mutex);
    EXPECT_EQ(irql(), APC_LEVEL);
    ExAcquireFastMutexUnsafe(&mutex);
    ExReleaseFastMutexUnsafe(&mutex);
    machine().lower_irql(PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ExMutexTest, AGuardedMutexEntersAGuardedRegion) {
  run([&] {
    KGUARDED_MUTEX mutex;
    KeInitializeGuardedMutex(&mutex);
    KeAcquireGuardedMutex(&mutex);
    EXPECT_EQ(guarded(), 1u);
    EXPECT_EQ(irql(), PASSIVE_LEVEL);
    KeReleaseGuardedMutex(&mutex);
    EXPECT_EQ(guarded(), 0u);
    EXPECT_TRUE(KeTryToAcquireGuardedMutex(&mutex));
    EXPECT_EQ(guarded(), 1u);
    KeReleaseGuardedMutex(&mutex);
    machine().self().guarded_regions = 1;
    KeAcquireGuardedMutexUnsafe(&mutex);
    EXPECT_EQ(guarded(), 1u);
    KeReleaseGuardedMutexUnsafe(&mutex);
    machine().self().guarded_regions = 0;
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ExMutexTest, ATryFailsWhileAnotherThreadHoldsIt) {
  run_seeds(20, [&] {
    FAST_MUTEX mutex;
    ExInitializeFastMutex(&mutex);
    bool tried = false;
    ExAcquireFastMutex(&mutex);
    machine().create_thread("other", [&] {
      EXPECT_FALSE(ExTryToAcquireFastMutex(&mutex));
      EXPECT_EQ(irql(), PASSIVE_LEVEL);
      tried = true;
    });
    while (!tried) machine().executor().yield(base::Point::Yield);
    ExReleaseFastMutex(&mutex);
    ASSERT_EQ(broken(), Strings{});
  });
}

template <typename Mutex, typename Acquire, typename Release>
void count_together(Machine& machine, Mutex& mutex, Acquire acquire, Release release) {
  constexpr int kThreads = 4, kEach = 10;
  int inside = 0, sum = 0, done = 0;
  for (int t = 0; t < kThreads; ++t) {
    machine.create_thread("worker", [&] {
      for (int i = 0; i < kEach; ++i) {
        acquire(&mutex);
        EXPECT_EQ(inside++, 0);
        machine.executor().yield(base::Point::Yield);
        ++sum;
        --inside;
        release(&mutex);
      }
      ++done;
    });
  }
  while (done < kThreads) machine.executor().yield(base::Point::Yield);
  EXPECT_EQ(sum, kThreads * kEach);
  EXPECT_EQ(mutex.Count, 1);
}

TEST_F(ExMutexTest, OneThreadAtATime) {
  run_seeds(30, [&] {
    FAST_MUTEX fast;
    ExInitializeFastMutex(&fast);
    count_together(machine(), fast, ExAcquireFastMutex, ExReleaseFastMutex);
    KGUARDED_MUTEX guarded_mutex;
    KeInitializeGuardedMutex(&guarded_mutex);
    count_together(machine(), guarded_mutex, KeAcquireGuardedMutex, KeReleaseGuardedMutex);
    ASSERT_EQ(broken(), Strings{});
  });
}

TEST_F(ExMutexTest, TakingItTwiceIsADeadlock) {
  run_to_stop([&] {
    FAST_MUTEX mutex;
    ExInitializeFastMutex(&mutex);
    ExAcquireFastMutex(&mutex);
    ExAcquireFastMutex(&mutex);
    ADD_FAILURE() << "acquired twice";
  });
  EXPECT_EQ(broken(), (Strings{"LockRecursion", "Deadlock"}));
}

TEST_F(ExMutexTest, OnlyTheOwnerReleases) {
  run([&] {
    FAST_MUTEX mutex;
    ExInitializeFastMutex(&mutex);
    machine().raise_irql(APC_LEVEL);
    ExReleaseFastMutex(&mutex);
    EXPECT_EQ(mutex.Count, 1);
    KGUARDED_MUTEX guarded_mutex;
    KeInitializeGuardedMutex(&guarded_mutex);
    KeReleaseGuardedMutex(&guarded_mutex);
    EXPECT_EQ(guarded(), 0u);
    machine().lower_irql(PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), (Strings{"LockNotHeld", "LockNotHeld"}));
}

TEST_F(ExMutexTest, SafeAndUnsafeFormsDoNotMix) {
  run([&] {
    FAST_MUTEX mutex;
    ExInitializeFastMutex(&mutex);
    ExAcquireFastMutex(&mutex);
    ExReleaseFastMutexUnsafe(&mutex);
    ExAcquireFastMutexUnsafe(&mutex);
    ExReleaseFastMutex(&mutex);
    EXPECT_EQ(irql(), APC_LEVEL);
    machine().lower_irql(PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), (Strings{"LockIrqlMismatch", "LockIrqlMismatch"}));
}

TEST_F(ExMutexTest, UnsafeFormsNeedApcsHeldBack) {
  run([&] {
    FAST_MUTEX mutex;
    ExInitializeFastMutex(&mutex);
    machine().self().critical_regions = 1;
    ExAcquireFastMutexUnsafe(&mutex);
    ExReleaseFastMutexUnsafe(&mutex);
    machine().self().critical_regions = 0;
    EXPECT_EQ(broken(), Strings{});
    ExAcquireFastMutexUnsafe(&mutex);
    ExReleaseFastMutexUnsafe(&mutex);
    KGUARDED_MUTEX guarded_mutex;
    KeInitializeGuardedMutex(&guarded_mutex);
    KeAcquireGuardedMutexUnsafe(&guarded_mutex);
    KeReleaseGuardedMutexUnsafe(&guarded_mutex);
  });
  EXPECT_EQ(broken(), (Strings{"IrqlTooLow", "IrqlTooLow"}));
}

TEST_F(ExMutexTest, ItMustBeInitialisedOnce) {
  run([&] {
    FAST_MUTEX mutex = {};
    ExAcquireFastMutex(&mutex);
    EXPECT_EQ(irql(), PASSIVE_LEVEL);
    ExInitializeFastMutex(&mutex);
    ExAcquireFastMutex(&mutex);
    ExInitializeFastMutex(&mutex);
    ExReleaseFastMutex(&mutex);
    EXPECT_EQ(irql(), PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), (Strings{"NotInitialised", "ReinitialisedLive"}));
}

TEST_F(ExMutexTest, AboveApcLevelItCannotBeTaken) {
  run([&] {
    FAST_MUTEX mutex;
    ExInitializeFastMutex(&mutex);
    machine().raise_irql(DISPATCH_LEVEL);
    ExAcquireFastMutex(&mutex);
    EXPECT_EQ(irql(), DISPATCH_LEVEL);
    machine().self().irql = APC_LEVEL;
    ExReleaseFastMutex(&mutex);
    machine().self().irql = DISPATCH_LEVEL;
    machine().lower_irql(PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), Strings{"IrqlTooHigh"});
}

}  // namespace
}  // namespace nt
