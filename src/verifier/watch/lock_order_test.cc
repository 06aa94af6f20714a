#include "verifier/watch/lock_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"
#include "base/testing/seed.h"

namespace verifier {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uintptr_t kA = 0x1000, kB = 0x2000, kC = 0x3000, kG = 0x9000, kH = 0xa000;

// A thread as the machine keeps it: it announces the lock that it is about to take, then holds it.
class Taker {
 public:
  explicit Taker(LockOrder& order) : order_(order) {}

  Taker& take(uintptr_t address, bool shared = false) {
    base::Stack stack;
    stack.count = 1;
    stack.pc[0] = ++t_pc;
    auto found = order_.acquiring({address, nt::LockKind::Spin, shared, 1, &stack}, held_);
    cycles.insert(cycles.end(), found.begin(), found.end());
    held_.push_back({address, nt::LockKind::Spin, shared});
    EXPECT_TRUE(order_.validate());
    return *this;
  }
  Taker& read(uintptr_t address) { return take(address, true); }
  Taker& drop_all() {
    held_.clear();
    return *this;
  }

  std::vector<LockCycle> cycles;
  static inline uintptr_t t_pc = 0;

 private:
  LockOrder& order_;
  std::vector<nt::HeldLock> held_;
};

class LockOrderTest : public ::testing::Test {
 protected:
  // Takes these, innermost last, and drops them again. What it closed.
  std::vector<LockCycle> take(std::initializer_list<uintptr_t> locks) {
    Taker taker(order);
    for (uintptr_t lock : locks) taker.take(lock);
    return taker.cycles;
  }
  LockOrder order;
};

TEST_F(LockOrderTest, OneLockAtATimeMakesNoGraph) {
  take({kA});
  take({kB});
  EXPECT_EQ(order.lock_count(), 0u);
}

TEST_F(LockOrderTest, SameOrderIsQuiet) {
  EXPECT_THAT(take({kA, kB}), IsEmpty());
  EXPECT_THAT(take({kA, kB}), IsEmpty());
  EXPECT_EQ(order.edge_count(), 1u);
}

TEST_F(LockOrderTest, BothOrdersAreFoundOnce) {
  take({kA, kB});
  uintptr_t first_order = Taker::t_pc;
  std::vector<LockCycle> cycles = take({kB, kA});
  ASSERT_THAT(cycles, SizeIs(1));
  EXPECT_EQ(cycles[0].sentence, "spin lock 1 is taken while spin lock 2 is held, and elsewhere the other way round");
  ASSERT_THAT(cycles[0].stacks, SizeIs(1));
  EXPECT_EQ(cycles[0].stacks[0].role, "took spin lock 2 while holding spin lock 1");
  EXPECT_EQ(cycles[0].stacks[0].stack.pc[0], first_order);
  EXPECT_THAT(take({kB, kA}), IsEmpty());
  EXPECT_THAT(take({kA, kB}), IsEmpty());
}

TEST_F(LockOrderTest, ThreeLocksMakeACycle) {
  take({kA, kB});
  take({kB, kC});
  std::vector<LockCycle> cycles = take({kC, kA});
  ASSERT_THAT(cycles, SizeIs(1));
  EXPECT_THAT(cycles[0].sentence, HasSubstr("cycle of 3 locks"));
  ASSERT_THAT(cycles[0].stacks, SizeIs(2));
  EXPECT_EQ(cycles[0].stacks[0].role, "took spin lock 2 while holding spin lock 1");
  EXPECT_EQ(cycles[0].stacks[1].role, "took spin lock 3 while holding spin lock 2");
}

TEST_F(LockOrderTest, OneAcquisitionCanCloseTwoCycles) {
  take({kC, kA});
  take({kC, kB});
  EXPECT_THAT(take({kA, kB, kC}), SizeIs(2));
}

TEST_F(LockOrderTest, FreedMemoryIsForgotten) {
  take({kA, kB});
  order.memory_gone(kB - 8, kB + 8);
  EXPECT_TRUE(order.validate());
  EXPECT_EQ(order.edge_count(), 0u);
  EXPECT_THAT(take({kB, kA}), IsEmpty());  // another lock at the same address
}

TEST_F(LockOrderTest, TheEndOfFreedMemoryIsNotPartOfIt) {
  take({kA, kB});
  order.memory_gone(kB - 8, kB);
  EXPECT_THAT(take({kB, kA}), SizeIs(1));
}

TEST_F(LockOrderTest, ANewLockAtAnOldAddressIsReportedAgain) {
  take({kA, kB});
  EXPECT_THAT(take({kB, kA}), SizeIs(1));
  order.memory_gone(kB, kB + 8);
  take({kA, kB});
  EXPECT_THAT(take({kB, kA}), SizeIs(1));
}

TEST_F(LockOrderTest, AGateLockKeepsThemApart) {
  EXPECT_THAT(take({kG, kA, kB}), IsEmpty());
  EXPECT_THAT(take({kG, kB, kA}), IsEmpty());
}

TEST_F(LockOrderTest, TwoDifferentGateLocksDoNotKeepThemApart) {
  take({kG, kA, kB});
  EXPECT_THAT(take({kH, kB, kA}), SizeIs(1));
}

TEST_F(LockOrderTest, OneAcquisitionWithoutTheGateLockIsEnoughForAReport) {
  take({kG, kA, kB});
  take({kG, kB, kA});
  EXPECT_THAT(take({kA, kB}), SizeIs(1));  // the other order still has the gate, but alone
  EXPECT_THAT(take({kB, kA}), IsEmpty());
}

TEST_F(LockOrderTest, AFreedGateGuardsNothingNew) {
  take({kG, kA, kB});
  order.memory_gone(kG, kG + 8);
  EXPECT_THAT(take({kG, kB, kA}), SizeIs(1));  // another lock at the gate's address
}

TEST_F(LockOrderTest, AGateLockHeldSharedDoesNotCount) {
  Taker taker(order);
  taker.read(kG).take(kA).take(kB).drop_all();
  taker.read(kG).take(kB).take(kA).drop_all();
  EXPECT_THAT(taker.cycles, SizeIs(1));
}

TEST_F(LockOrderTest, ReadersDoNotWaitForEachOther) {
  Taker taker(order);
  taker.read(kA).read(kB).drop_all();
  taker.read(kB).read(kA).drop_all();
  EXPECT_THAT(taker.cycles, IsEmpty());
}

TEST_F(LockOrderTest, ReadersAtOneLockOfTheCycleAreEnough) {
  Taker taker(order);
  taker.take(kA).read(kB).drop_all();
  taker.read(kB).take(kA).drop_all();
  EXPECT_THAT(taker.cycles, IsEmpty());
}

TEST_F(LockOrderTest, AWriterAmongReadersDeadlocks) {
  Taker taker(order);
  taker.read(kA).take(kB).drop_all();
  taker.read(kB).take(kA).drop_all();
  EXPECT_THAT(taker.cycles, SizeIs(1));
}

TEST_F(LockOrderTest, RecursionIsNoOrder) {
  EXPECT_THAT(take({kA, kB, kA}), IsEmpty());
  EXPECT_EQ(order.edge_count(), 1u);
}

TEST_F(LockOrderTest, ResetForgetsTheRun) {
  take({kA, kB});
  order.reset();
  EXPECT_TRUE(order.validate());
  EXPECT_EQ(order.lock_count(), 0u);
  EXPECT_THAT(take({kB, kA}), IsEmpty());
}

// Takes locks in ascending order only, between frees: never a cycle, and the structure stays whole.
TEST_F(LockOrderTest, AHierarchyIsQuietWhateverComes) {
  uint64_t seed = base::seed_for_test(1);
  SCOPED_TRACE(seed);
  base::Rng rng(seed);
  for (int step = 0; step < 2000; ++step) {
    Taker taker(order);
    for (uintptr_t lock = 1; lock <= 24; ++lock) {
      if (rng.below(8) == 0) taker.take(lock * 64, rng.below(3) == 0);
    }
    ASSERT_THAT(taker.cycles, IsEmpty());
    if (rng.below(4) == 0) {
      uintptr_t at = rng.below(25) * 64;
      order.memory_gone(at, at + rng.below(200));
    }
    ASSERT_TRUE(order.validate());
    ASSERT_LE(order.lock_count(), 24u);
  }
}

}  // namespace
}  // namespace verifier
