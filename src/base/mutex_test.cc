#include "base/mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace base {
namespace {

TEST(Mutex, ExcludesOtherThreads) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 20'000;
  Mutex<LockRank::Table> mutex;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        Guard guard(mutex);
        ++counter;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, kThreads * kRounds);
}

TEST(RawMutex, TryLockTellsWhetherItIsHeld) {
  RawMutex mutex;
  ASSERT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(Protected, ValueIsReachedUnderItsLock) {
  Protected<std::vector<int>, LockRank::Adapter> numbers;
  numbers.with([](std::vector<int>& list) { list.push_back(7); });
  EXPECT_EQ(numbers.with([](std::vector<int>& list) { return list.size(); }), 1u);
#ifdef DRYDOCK_DEBUG
  EXPECT_TRUE(numbers.with([](std::vector<int>&) { return holds_any_mutex(); }));
#endif
}

#ifdef DRYDOCK_DEBUG
TEST(Mutex, RisingRanksAreFineAndAreForgottenOnRelease) {
  Mutex<LockRank::Table> table;
  Mutex<LockRank::Trace> trace;
  for (int round = 0; round < 2; ++round) {
    Guard outer(table);
    Guard inner(trace);
    EXPECT_TRUE(holds_any_mutex());
  }
  EXPECT_FALSE(holds_any_mutex());
}

TEST(MutexDeathTest, LowerRankUnderAHigherOneAbortsNamingBoth) {
  Mutex<LockRank::Table> table;
  Mutex<LockRank::Dispatcher> dispatcher;
  auto wrong_order = [&] {
    Guard outer(dispatcher);
    Guard inner(table);
  };
  EXPECT_DEATH(wrong_order(), "lock rank 10 taken while rank 30 is held");
}

TEST(MutexDeathTest, TwoOfOneRankAbort) {
  Mutex<LockRank::Adapter> first;
  Mutex<LockRank::Adapter> second;
  auto both = [&] {
    Guard outer(first);
    Guard inner(second);
  };
  EXPECT_DEATH(both(), "lock rank 20 taken while rank 20 is held");
}
#endif

}  // namespace
}  // namespace base
