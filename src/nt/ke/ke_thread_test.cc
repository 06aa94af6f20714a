#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class KeThreadTest : public MachineTest {
 protected:
  void join(Thread& thread) { KeWaitForSingleObject(thread.body, Executive, KernelMode, FALSE, nullptr); }
};

TEST_F(KeThreadTest, EachThreadHasItsOwnObject) {
  run_seeds(5, [&] {
    PKTHREAD mine = KeGetCurrentThread(), other = nullptr;
    Thread& thread = machine().create_thread("other", [&] { other = KeGetCurrentThread(); });
    join(thread);
    EXPECT_NE(mine, other);
    EXPECT_EQ(other, reinterpret_cast<PKTHREAD>(thread.body));
    EXPECT_EQ(KeGetCurrentThread(), mine);
  });
}

TEST_F(KeThreadTest, PriorityIsRemembered) {
  run([&] {
    PKTHREAD self = KeGetCurrentThread();
    KPRIORITY before = KeQueryPriorityThread(self);
    EXPECT_EQ(KeSetPriorityThread(self, LOW_REALTIME_PRIORITY), before);
    EXPECT_EQ(KeQueryPriorityThread(self), LOW_REALTIME_PRIORITY);
  });
}

TEST_F(KeThreadTest, AffinityTakesEffectAtOnce) {
  options.processors = 4;
  run_seeds(20, [&] {
    for (int i = 0; i < 3; ++i) {
      machine().create_thread("raiser", [&] {
        for (int k = 0; k < 10; ++k) {
          KIRQL old;
          KeRaiseIrql(DISPATCH_LEVEL, &old);
          KeLowerIrql(old);
        }
      });
    }
    EXPECT_EQ(KeSetSystemAffinityThreadEx(4), 0u);
    EXPECT_EQ(KeGetCurrentProcessorNumber(), 2u);
    for (int k = 0; k < 20; ++k) {
      machine().executor().yield(base::Point::Yield);
      EXPECT_EQ(KeGetCurrentProcessorNumber(), 2u);
    }
    EXPECT_EQ(KeSetSystemAffinityThreadEx(0xF0 | 2), 4u);  // processors that are not there do not count
    EXPECT_EQ(KeGetCurrentProcessorNumber(), 1u);
    KeRevertToUserAffinityThreadEx(0);
    EXPECT_EQ(KeSetSystemAffinityThreadEx(1), 0u);
    KeRevertToUserAffinityThread();
    EXPECT_EQ(broken(), Strings{});
  });
}

// At DISPATCH_LEVEL the change waits until the level is lowered, as documented.
TEST_F(KeThreadTest, AffinityOfARaisedThreadTakesEffectWhenItIsLowered) {
  run_seeds(20, [&] {
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    ULONG here = KeGetCurrentProcessorNumber();
    KeSetSystemAffinityThread(KAFFINITY{1} << (1 - here));
    EXPECT_EQ(KeGetCurrentProcessorNumber(), here);
    KeLowerIrql(old);
    EXPECT_EQ(KeGetCurrentProcessorNumber(), 1 - here);
  });
}

TEST_F(KeThreadTest, RegionsNestAndDisableApcs) {
  run([&] {
    EXPECT_FALSE(KeAreApcsDisabled());
    KeEnterCriticalRegion();
    KeEnterCriticalRegion();
    EXPECT_TRUE(KeAreApcsDisabled());
    EXPECT_FALSE(KeAreAllApcsDisabled());
    KeLeaveCriticalRegion();
    EXPECT_TRUE(KeAreApcsDisabled());
    KeEnterGuardedRegion();
    EXPECT_TRUE(KeAreAllApcsDisabled());
    KeLeaveGuardedRegion();
    KeLeaveCriticalRegion();
    EXPECT_FALSE(KeAreApcsDisabled());
    KIRQL old;
    KeRaiseIrql(APC_LEVEL, &old);
    EXPECT_TRUE(KeAreAllApcsDisabled());
    KeLowerIrql(old);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(KeThreadTest, ARegionLeftTwiceIsFound) {
  observer.then = Then::GoOn;
  run([&] {
    KeEnterCriticalRegion();
    KeLeaveCriticalRegion();
    KeLeaveCriticalRegion();
    KeLeaveGuardedRegion();
    EXPECT_FALSE(KeAreApcsDisabled());
  });
  EXPECT_EQ(broken(), (Strings{"RegionUnbalanced", "RegionUnbalanced"}));
}

TEST_F(KeThreadTest, AThreadThatEndsRaisedOrWithALockIsFound) {
  observer.then = Then::GoOn;
  run([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    join(machine().create_thread("raised", [&] { KeRaiseIrqlToDpcLevel(); }));
    join(machine().create_thread("holder", [&] { KeAcquireSpinLockRaiseToDpc(&lock); }));
  });
  EXPECT_EQ(broken(), (Strings{"IrqlNotRestored", "LockLeftHeld", "IrqlNotRestored"}));
  EXPECT_EQ(observer.violations.at(0).sentence, "thread 'raised' ended at DISPATCH_LEVEL");
  EXPECT_EQ(observer.violations.at(1).sentence, "thread 'holder' ended with a spin lock held");
}

}  // namespace
}  // namespace nt
