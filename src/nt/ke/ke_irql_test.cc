#include "nt/boundary/driver_call.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class KeIrqlTest : public MachineTest {};

TEST_F(KeIrqlTest, RaisesAndLowers) {
  run([&] {
    EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
    KIRQL first, second;
    KeRaiseIrql(APC_LEVEL, &first);
    EXPECT_EQ(first, PASSIVE_LEVEL);
    KeRaiseIrql(HIGH_LEVEL, &second);
    EXPECT_EQ(second, APC_LEVEL);
    EXPECT_EQ(KeGetCurrentIrql(), HIGH_LEVEL);
    KeLowerIrql(second);
    EXPECT_EQ(KeGetCurrentIrql(), APC_LEVEL);
    EXPECT_EQ(KeRaiseIrqlToDpcLevel(), APC_LEVEL);
    EXPECT_EQ(KeRaiseIrqlToDpcLevel(), DISPATCH_LEVEL);
    KeLowerIrql(first);
    EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(KeIrqlTest, RaisingDownAndLoweringUpAreFound) {
  observer.then = Then::GoOn;
  run([&] {
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KIRQL ignored;
    KeRaiseIrql(APC_LEVEL, &ignored);
    EXPECT_EQ(KeGetCurrentIrql(), DISPATCH_LEVEL);
    KeLowerIrql(old);
    KeLowerIrql(DISPATCH_LEVEL);
    EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), (Strings{"IrqlRaisedDown", "IrqlLoweredUp"}));
  EXPECT_EQ(observer.violations.at(0).sentence, "KeRaiseIrql from DISPATCH_LEVEL to APC_LEVEL");
}

TEST_F(KeIrqlTest, ARoutineThatLowersBelowItsCallIsFound) {
  observer.then = Then::GoOn;
  run([&] {
    auto lowers = +[](KIRQL to) {
      KIRQL old;
      KeRaiseIrql(5, &old);
      KeLowerIrql(to);
      if (to < DISPATCH_LEVEL) KeRaiseIrql(DISPATCH_LEVEL, &old);
    };
    machine().raise_irql(DISPATCH_LEVEL);
    call_driver(machine(), "DPC routine", nullptr, lowers, KIRQL{DISPATCH_LEVEL});
    EXPECT_EQ(broken(), Strings{});
    call_driver(machine(), "DPC routine", nullptr, lowers, KIRQL{PASSIVE_LEVEL});
    machine().lower_irql(PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), Strings{"IrqlBelowCall"});
  EXPECT_EQ(observer.violations.at(0).sentence,
            "KeLowerIrql to PASSIVE_LEVEL in DPC routine, which was called at DISPATCH_LEVEL");
}

TEST_F(KeIrqlTest, LoweringWithASpinLockHeldIsFound) {
  observer.then = Then::GoOn;
  run([&] {
    KSPIN_LOCK lock = 0;
    KIRQL old, raised;
    KeAcquireSpinLock(&lock, &old);
    KeRaiseIrql(5, &raised);
    KeLowerIrql(raised);
    EXPECT_EQ(broken(), Strings{});
    KeLowerIrql(old);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeReleaseSpinLock(&lock, old);
  });
  EXPECT_EQ(broken(), Strings{"LoweredLocked"});
}

TEST_F(KeIrqlTest, FunctionsAreHeldToTheirDocumentedLevels) {
  observer.then = Then::GoOn;
  run([&] {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    KeAcquireSpinLockAtDpcLevel(&lock);  // too low
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeReleaseSpinLockFromDpcLevel(&lock);
    KeFlushQueuedDpcs();  // too high
    KeLowerIrql(old);
  });
  EXPECT_EQ(broken(), (Strings{"IrqlTooLow", "IrqlTooHigh"}));
  EXPECT_EQ(observer.violations.at(0).sentence,
            "KeAcquireSpinLockAtDpcLevel was called at PASSIVE_LEVEL; it must be called at DISPATCH_LEVEL or above");
  EXPECT_EQ(observer.violations.at(1).sentence,
            "KeFlushQueuedDpcs was called at DISPATCH_LEVEL; it must be called at PASSIVE_LEVEL or below");
}

TEST_F(KeIrqlTest, ARaisedThreadKeepsItsProcessor) {
  options.processors = 3;
  run_seeds(20, [&] {
    bool owned[3] = {};
    std::vector<Thread*> threads;
    for (int i = 0; i < 5; ++i) {
      threads.push_back(&machine().create_thread("raiser", [&] {
        for (int k = 0; k < 10; ++k) {
          KIRQL old;
          KeRaiseIrql(DISPATCH_LEVEL, &old);
          ULONG mine = KeGetCurrentProcessorNumber();
          ASSERT_LT(mine, 3u);
          EXPECT_FALSE(owned[mine]);
          owned[mine] = true;
          for (int n = 0; n < 4; ++n) machine().executor().yield(base::Point::Yield);
          EXPECT_EQ(KeGetCurrentProcessorNumber(), mine);
          owned[mine] = false;
          KeLowerIrql(old);
        }
      }));
    }
    for (Thread* thread : threads) KeWaitForSingleObject(thread->body, Executive, KernelMode, FALSE, nullptr);
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(KeIrqlTest, CountsItsProcessors) {
  options.processors = 5;
  run([&] {
    KAFFINITY active = 0;
    EXPECT_EQ(KeQueryActiveProcessorCount(&active), 5u);
    EXPECT_EQ(active, 0x1Fu);
    EXPECT_EQ(KeQueryActiveProcessorCountEx(0), 5u);
    EXPECT_EQ(KeQueryActiveProcessorCountEx(1), 0u);
    EXPECT_EQ(KeQueryMaximumProcessorCountEx(ALL_PROCESSOR_GROUPS), 5u);
    PROCESSOR_NUMBER number{7, 7, 7};
    EXPECT_EQ(KeGetCurrentProcessorNumberEx(&number), number.Number);
    EXPECT_EQ(number.Group, 0);
  });
  options.processors = 64;
  run([&] { EXPECT_EQ(KeQueryActiveProcessors(), ~KAFFINITY{0}); });
}

}  // namespace
}  // namespace nt
