#include "nt/ke/spin_locks.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class KeSpinLockTest : public MachineTest {
 protected:
  // Runs `body` on several threads at once, under many schedules.
  void compete(int threads, const std::function<void()>& body) {
    run_seeds(40, [&] {
      std::vector<Thread*> all;
      for (int i = 0; i < threads; ++i) all.push_back(&machine().create_thread("competitor", body));
      for (Thread* thread : all) KeWaitForSingleObject(thread->body, Executive, KernelMode, FALSE, nullptr);
      EXPECT_EQ(broken(), Strings{});
    });
  }
  void linger() {
    for (int i = 0; i < 3; ++i) machine().executor().yield(base::Point::Yield);
  }
};

TEST_F(KeSpinLockTest, ExcludesOthers) {
  KSPIN_LOCK lock = 0;
  bool inside = false;
  int entered = 0;
  compete(4, [&] {
    for (int i = 0; i < 10; ++i) {
      KIRQL old;
      KeAcquireSpinLock(&lock, &old);
      EXPECT_EQ(old, PASSIVE_LEVEL);
      EXPECT_EQ(KeGetCurrentIrql(), DISPATCH_LEVEL);
      EXPECT_FALSE(inside);
      EXPECT_FALSE(KeTestSpinLock(&lock));
      inside = true;
      linger();
      inside = false;
      ++entered;
      KeReleaseSpinLock(&lock, old);
      EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
    }
  });
  EXPECT_EQ(entered, 40 * 4 * 10);
  EXPECT_TRUE(is_spin_free(&lock));
}

TEST_F(KeSpinLockTest, EveryQueuedFormIsTheSameLock) {
  KSPIN_LOCK lock = 0;
  int inside = 0;
  auto visit = [&] {
    EXPECT_EQ(++inside, 1);
    linger();
    --inside;
  };
  compete(3, [&] {
    KLOCK_QUEUE_HANDLE handle;
    KeAcquireInStackQueuedSpinLock(&lock, &handle);
    visit();
    KeReleaseInStackQueuedSpinLock(&handle);
    KeAcquireInStackQueuedSpinLockForDpc(&lock, &handle);
    visit();
    KeReleaseInStackQueuedSpinLockForDpc(&handle);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeAcquireInStackQueuedSpinLockAtDpcLevel(&lock, &handle);
    visit();
    KeReleaseInStackQueuedSpinLockFromDpcLevel(&handle);
    EXPECT_EQ(KeGetCurrentIrql(), DISPATCH_LEVEL);
    KeLowerIrql(old);
  });
}

TEST_F(KeSpinLockTest, EveryOrdinaryFormIsTheSameLock) {
  KSPIN_LOCK lock = 0;
  int inside = 0;
  auto visit = [&] {
    EXPECT_EQ(++inside, 1);
    linger();
    --inside;
  };
  compete(3, [&] {
    KIRQL old = KeAcquireSpinLockForDpc(&lock);
    visit();
    KeReleaseSpinLockForDpc(&lock, old);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeAcquireSpinLockAtDpcLevel(&lock);
    visit();
    KeReleaseSpinLockFromDpcLevel(&lock);
    if (KeTryToAcquireSpinLockAtDpcLevel(&lock)) {
      visit();
      KeReleaseSpinLockFromDpcLevel(&lock);
    }
    EXPECT_EQ(KeGetCurrentIrql(), DISPATCH_LEVEL);
    KeLowerIrql(old);
  });
}

TEST_F(KeSpinLockTest, MixingQueuedAndOrdinaryIsFoundOnceForEachLock) {
  observer.then = Then::GoOn;
  run([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    KIRQL old;
    KLOCK_QUEUE_HANDLE handle;
    for (int i = 0; i < 2; ++i) {
      KeAcquireSpinLock(&lock, &old);
      KeReleaseSpinLock(&lock, old);
      KeAcquireInStackQueuedSpinLock(&lock, &handle);
      EXPECT_FALSE(KeTestSpinLock(&lock));
      KeReleaseInStackQueuedSpinLock(&handle);
      EXPECT_TRUE(KeTestSpinLock(&lock));
    }
    KeInitializeSpinLock(&lock);  // a new lock, which may be of the other kind
    KeAcquireInStackQueuedSpinLock(&lock, &handle);
    KeReleaseInStackQueuedSpinLock(&handle);
  });
  EXPECT_EQ(broken(), Strings{"SpinLockMixed"});
  EXPECT_EQ(observer.violations.at(0).sentence,
            "a spin lock is acquired as a queued one and was acquired as an ordinary one before");
}

TEST_F(KeSpinLockTest, ATryFailsOnlyWhileItIsHeld) {
  run([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    EXPECT_TRUE(KeTryToAcquireSpinLockAtDpcLevel(&lock));
    EXPECT_FALSE(KeTryToAcquireSpinLockAtDpcLevel(&lock));
    KeReleaseSpinLockFromDpcLevel(&lock);
    EXPECT_TRUE(KeTestSpinLock(&lock));
    KeLowerIrql(old);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(KeSpinLockTest, ReadersShareAndWritersDoNot) {
  EX_SPIN_LOCK lock = 0;
  int readers = 0, writers = 0, most_readers = 0;
  options.processors = 4;
  compete(4, [&] {
    for (int i = 0; i < 6; ++i) {
      KIRQL old = ExAcquireSpinLockShared(&lock);
      most_readers = std::max(most_readers, ++readers);
      EXPECT_EQ(writers, 0);
      linger();
      --readers;
      ExReleaseSpinLockShared(&lock, old);
      old = ExAcquireSpinLockExclusive(&lock);
      EXPECT_EQ(++writers, 1);
      EXPECT_EQ(readers, 0);
      linger();
      --writers;
      ExReleaseSpinLockExclusive(&lock, old);
    }
  });
  EXPECT_GT(most_readers, 1);
  EXPECT_EQ(lock, 0);
}

TEST_F(KeSpinLockTest, TheOnlyReaderBecomesTheWriter) {
  EX_SPIN_LOCK lock = 0;
  int inside = 0, converted = 0, refused = 0;
  compete(3, [&] {
    for (int i = 0; i < 5; ++i) {
      KIRQL old;
      KeRaiseIrql(DISPATCH_LEVEL, &old);
      ExAcquireSpinLockSharedAtDpcLevel(&lock);
      linger();
      if (ExTryConvertSharedSpinLockExclusive(&lock)) {
        ++converted;
        EXPECT_EQ(++inside, 1);
        linger();
        --inside;
        ExReleaseSpinLockExclusiveFromDpcLevel(&lock);
      } else {
        ++refused;
        ExReleaseSpinLockSharedFromDpcLevel(&lock);
      }
      KeLowerIrql(old);
    }
  });
  EXPECT_GT(converted, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(lock, 0);
}

// A permit that is left from a timed wait must not be mistaken for the release of the lock.
TEST_F(KeSpinLockTest, AWaitThatEndedAtItsDeadlineDoesNotDisturbASpin) {
  run_seeds(60, [&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    KEVENT event;
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    int inside = 0;
    auto visit = [&] {
      for (int i = 0; i < 4; ++i) {
        KIRQL old;
        KeAcquireSpinLock(&lock, &old);
        EXPECT_EQ(++inside, 1);
        linger();
        --inside;
        KeReleaseSpinLock(&lock, old);
      }
    };
    Thread& waiter = machine().create_thread("waiter", [&] {
      LARGE_INTEGER timeout{.QuadPart = -100};
      KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &timeout);
      visit();
    });
    Thread& setter = machine().create_thread("setter", [&] {
      machine().executor().stall(10'000);
      KeSetEvent(&event, 0, FALSE);
      visit();
    });
    for (Thread* thread : {&waiter, &setter}) {
      KeWaitForSingleObject(thread->body, Executive, KernelMode, FALSE, nullptr);
    }
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(KeSpinLockTest, TakingItTwiceIsFound) {
  run_to_stop([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
    KeAcquireSpinLock(&lock, &old);
  });
  EXPECT_EQ(broken(), Strings{"LockRecursion"});
  EXPECT_EQ(observer.violations.at(0).sentence, "a spin lock is acquired by the thread that holds it");
}

TEST_F(KeSpinLockTest, ReleasingWhatIsNotHeldIsFound) {
  observer.then = Then::GoOn;
  run([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
    Thread& other = machine().create_thread("other", [&] {
      KIRQL own;
      KeRaiseIrql(DISPATCH_LEVEL, &own);
      KeReleaseSpinLock(&lock, own);  // another thread holds it
    });
    while (!other.terminated) machine().executor().yield(base::Point::Yield);
    EXPECT_FALSE(KeTestSpinLock(&lock));
    KeReleaseSpinLock(&lock, old);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeReleaseSpinLock(&lock, old);  // no thread holds it
    EX_SPIN_LOCK shared = 0;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    ExReleaseSpinLockShared(&shared, old);
    EXPECT_EQ(shared, 0);
  });
  EXPECT_EQ(broken(), (Strings{"LockNotHeld", "LockNotHeld", "LockNotHeld"}));
}

TEST_F(KeSpinLockTest, AnImpossibleOldLevelIsFound) {
  observer.then = Then::GoOn;
  run([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
    KeReleaseSpinLock(&lock, HIGH_LEVEL);
    EXPECT_EQ(KeGetCurrentIrql(), DISPATCH_LEVEL);
    KeLowerIrql(old);
  });
  EXPECT_EQ(broken(), Strings{"LockIrqlMismatch"});
}

TEST_F(KeSpinLockTest, AHeldLockIsNotInitialisedAgain) {
  observer.then = Then::GoOn;
  run([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
    KeInitializeSpinLock(&lock);
    KeReleaseSpinLock(&lock, old);
  });
  EXPECT_EQ(broken(), Strings{"ReinitialisedLive"});
}

// Two locks in both orders on two processors: some schedules end in a deadlock, others come through.
TEST_F(KeSpinLockTest, SomeScheduleFindsADeadlyEmbrace) {
  int deadlocks = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    options.seed = seed;
    options.policy = policy_for_seed(seed);
    std::vector<std::string> found = rules_broken_by([&] {
      KSPIN_LOCK locks[2] = {};
      auto take = [&](int first, int second) {
        KIRQL old;
        KeAcquireSpinLock(&locks[first], &old);
        KeAcquireSpinLockAtDpcLevel(&locks[second]);
        KeReleaseSpinLockFromDpcLevel(&locks[second]);
        KeReleaseSpinLock(&locks[first], old);
      };
      Thread& other = machine().create_thread("other", [&] { take(1, 0); });
      take(0, 1);
      KeWaitForSingleObject(other.body, Executive, KernelMode, FALSE, nullptr);
    });
    deadlocks += found == Strings{"Deadlock"};
  }
  EXPECT_GT(deadlocks, 0);
  EXPECT_LT(deadlocks, 60);
}

}  // namespace
}  // namespace nt
