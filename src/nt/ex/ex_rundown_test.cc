#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class ExRundownTest : public MachineTest {
 protected:
  ExRundownTest() { observer.then = Then::GoOn; }
  void pause() { machine().executor().yield(base::Point::Yield); }
};

TEST_F(ExRundownTest, ProtectionEndsWithTheRundown) {
  run([&] {
    EX_RUNDOWN_REF reference;
    ExInitializeRundownProtection(&reference);
    EXPECT_TRUE(ExAcquireRundownProtection(&reference));
    EXPECT_TRUE(ExAcquireRundownProtectionEx(&reference, 3));
    ExReleaseRundownProtectionEx(&reference, 2);
    ExReleaseRundownProtection(&reference);
    ExReleaseRundownProtection(&reference);
    ExWaitForRundownProtectionRelease(&reference);
    EXPECT_FALSE(ExAcquireRundownProtection(&reference));
    ExWaitForRundownProtectionRelease(&reference);  // has no effect, and is no error
    ExRundownCompleted(&reference);
    EXPECT_FALSE(ExAcquireRundownProtectionEx(&reference, 2));
    ExReInitializeRundownProtection(&reference);
    EXPECT_TRUE(ExAcquireRundownProtection(&reference));
    ExReleaseRundownProtection(&reference);
  });
  EXPECT_EQ(broken(), Strings{});
}

// Once the wait is over no thread holds the protection, and none can acquire it.
TEST_F(ExRundownTest, TheWaitEndsWithTheLastUser) {
  run_seeds(40, [&] {
    EX_RUNDOWN_REF reference;
    ExInitializeRundownProtection(&reference);
    int inside = 0, done = 0;
    bool over = false;
    for (int t = 0; t < 4; ++t) {
      machine().create_thread("user", [&] {
        while (ExAcquireRundownProtection(&reference)) {
          EXPECT_FALSE(over);
          ++inside;
          pause();
          --inside;
          ExReleaseRundownProtection(&reference);
        }
        ++done;
      });
    }
    for (int i = 0; i < 30; ++i) pause();
    ExWaitForRundownProtectionRelease(&reference);
    over = true;
    EXPECT_EQ(inside, 0);
    while (done < 4) pause();
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(ExRundownTest, UsersMayComeAtDispatchLevel) {
  run([&] {
    EX_RUNDOWN_REF reference;
    ExInitializeRundownProtection(&reference);
    machine().raise_irql(DISPATCH_LEVEL);
    EXPECT_TRUE(ExAcquireRundownProtection(&reference));
    ExReleaseRundownProtection(&reference);
    machine().lower_irql(PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(ExRundownTest, WhatIsOutOfBalanceIsAFinding) {
  run([&] {
    EX_RUNDOWN_REF reference;
    ExInitializeRundownProtection(&reference);
    ExReleaseRundownProtection(&reference);
    EXPECT_TRUE(ExAcquireRundownProtection(&reference));
    ExReleaseRundownProtectionEx(&reference, 2);
    ExReInitializeRundownProtection(&reference);
    ExRundownCompleted(&reference);
    ExReleaseRundownProtection(&reference);
  });
  EXPECT_EQ(broken(), (Strings{"RundownMisuse", "RundownMisuse", "RundownMisuse", "RundownMisuse"}));
}

TEST_F(ExRundownTest, AReferenceThatIsWaitedForIsNotMadeNew) {
  run([&] {
    EX_RUNDOWN_REF reference;
    ExInitializeRundownProtection(&reference);
    ExAcquireRundownProtection(&reference);
    bool over = false;
    machine().create_thread("waits", [&] {
      ExWaitForRundownProtectionRelease(&reference);
      over = true;
    });
    while (ExAcquireRundownProtection(&reference)) {
      ExReleaseRundownProtection(&reference);
      pause();
    }
    ExInitializeRundownProtection(&reference);
    ExReleaseRundownProtection(&reference);
    while (!over) pause();
  });
  EXPECT_EQ(broken(), Strings{"ReinitialisedLive"});
}

}  // namespace
}  // namespace nt
