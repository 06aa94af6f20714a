#include "vidsch/sync_object.h"

#include <gtest/gtest.h>

#include <vector>

#include "vidsch/monitored_fence.h"

namespace vidsch {
namespace {

using Need = Waiter::Need;
using State = Waiter::State;

class TestWaiter final : public Waiter {
 public:
  explicit TestWaiter(std::vector<int>& log, int name) : log_(log), name_(name) {}
  void wake() override { log_.push_back(name_); }

 private:
  std::vector<int>& log_;
  const int name_;
};

class SyncObjectTest : public ::testing::Test {
 protected:
  base::Ref<TestWaiter> waiter(int name) { return base::make_ref<TestWaiter>(log, name); }
  bool begin(Waiter& waiter, std::vector<Waiter::Condition> conditions, Need need = Need::All) {
    return waiter.begin(conditions, need);
  }
  NTSTATUS signal(SyncObject& object, uint64_t value = 0) {
    NTSTATUS status = object.signal(value, Rewind::Refused, woken).status();
    woken.deliver();
    EXPECT_TRUE(object.validate());
    return status;
  }
  void close(SyncObject& object) {
    object.close(woken);
    woken.deliver();
  }
  std::vector<int> told() { return std::exchange(log, {}); }

  std::vector<int> log;
  WokenList woken;
};

using Told = std::vector<int>;

TEST_F(SyncObjectTest, AMutexPassesFromOneToTheNextInTheOrderTheyCame) {
  Counted mutex = Counted::mutex(false);
  auto a = waiter(1), b = waiter(2), c = waiter(3);
  EXPECT_TRUE(mutex.try_wait(*a, 0));
  EXPECT_EQ(a->state(), State::Satisfied);
  EXPECT_FALSE(mutex.try_wait(*b, 0));
  EXPECT_FALSE(mutex.try_wait(*c, 0));
  EXPECT_EQ(signal(mutex), STATUS_SUCCESS);
  EXPECT_EQ(told(), Told{2});
  EXPECT_EQ(mutex.count(), 0u);  // b has it
  EXPECT_EQ(signal(mutex), STATUS_SUCCESS);
  EXPECT_EQ(told(), Told{3});
  EXPECT_EQ(signal(mutex), STATUS_SUCCESS);
  EXPECT_EQ(signal(mutex), STATUS_MUTANT_NOT_OWNED);
}

TEST_F(SyncObjectTest, AMutexMayBeginOwned) {
  Counted mutex = Counted::mutex(true);
  auto a = waiter(1);
  EXPECT_FALSE(mutex.try_wait(*a, 0));
  signal(mutex);
  EXPECT_EQ(a->state(), State::Satisfied);
}

TEST_F(SyncObjectTest, ASemaphoreGivesWhatItHas) {
  Counted semaphore = Counted::semaphore(2, 3);
  auto a = waiter(1);
  EXPECT_TRUE(semaphore.try_wait(*a, 0));
  EXPECT_TRUE(semaphore.try_wait(*a, 0));
  EXPECT_FALSE(semaphore.try_wait(*a, 0));
  EXPECT_EQ(signal(semaphore), STATUS_SUCCESS);
  EXPECT_EQ(told(), Told{1});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(signal(semaphore), STATUS_SUCCESS);
  EXPECT_EQ(signal(semaphore), STATUS_SEMAPHORE_LIMIT_EXCEEDED);
  EXPECT_EQ(semaphore.count(), 3u);
}

TEST_F(SyncObjectTest, AllAreTakenTogetherOrNotAtAll) {
  Counted first = Counted::mutex(false), second = Counted::mutex(true);
  auto both = waiter(1), only_first = waiter(2);
  EXPECT_FALSE(begin(*both, {{&first}, {&second}}));
  EXPECT_EQ(first.count(), 1u);  // the wait for both does not take it
  EXPECT_TRUE(first.try_wait(*only_first, 0));
  signal(second);
  EXPECT_TRUE(told().empty());
  signal(first);
  EXPECT_EQ(told(), Told{1});
  EXPECT_EQ(first.count() + second.count(), 0u);
  EXPECT_FALSE(first.has_waiters() || second.has_waiters());
}

TEST_F(SyncObjectTest, TheSameSemaphoreTwiceCostsTwo) {
  Counted semaphore = Counted::semaphore(1, 8);
  auto twice = waiter(1);
  EXPECT_FALSE(begin(*twice, {{&semaphore}, {&semaphore}}));
  EXPECT_EQ(semaphore.count(), 1u);
  signal(semaphore);
  EXPECT_EQ(told(), Told{1});
  EXPECT_EQ(semaphore.count(), 0u);
}

TEST_F(SyncObjectTest, AWaitThatCannotPassLetsThoseBehindItPass) {
  Counted semaphore = Counted::semaphore(0, 8), other = Counted::semaphore(0, 8);
  auto a = waiter(1), b = waiter(2);
  begin(*a, {{&semaphore}, {&other}});
  semaphore.try_wait(*b, 0);
  signal(semaphore);
  EXPECT_EQ(told(), Told{2});
  EXPECT_TRUE(a->cancel());
}

TEST_F(SyncObjectTest, AnyIsSatisfiedByTheFirstAndTakesNothingElse) {
  Counted first = Counted::semaphore(0, 8), second = Counted::semaphore(0, 8);
  auto any = waiter(1);
  EXPECT_FALSE(begin(*any, {{&first}, {&second}}, Need::Any));
  signal(second);
  EXPECT_EQ(told(), Told{1});
  EXPECT_FALSE(first.has_waiters());
  signal(first);
  EXPECT_EQ(first.count(), 1u);
  EXPECT_TRUE(begin(*any, {{&second}, {&first}}, Need::Any));
  EXPECT_EQ(first.count(), 0u);
}

TEST_F(SyncObjectTest, AFenceAndASemaphoreAreWaitedForTogether) {
  uint64_t word;
  Fence fence(&word, 0, Fence::Width::Bits64, Fence::OnReset::Nothing);
  Counted semaphore = Counted::semaphore(0, 1);
  auto a = waiter(1), b = waiter(2);
  begin(*a, {{&fence, 5}, {&semaphore}});
  signal(semaphore);
  EXPECT_TRUE(told().empty());
  EXPECT_EQ(semaphore.count(), 1u);
  signal(fence, 5);
  EXPECT_EQ(told(), Told{1});
  EXPECT_EQ(semaphore.count(), 0u);

  begin(*b, {{&fence, 6}, {&semaphore}});  // the other way round
  signal(fence, 6);
  EXPECT_TRUE(told().empty());
  signal(semaphore);
  EXPECT_EQ(told(), Told{2});
}

TEST_F(SyncObjectTest, ACancelledWaitIsToldNothing) {
  Counted first = Counted::mutex(true), second = Counted::mutex(true);
  auto a = waiter(1);
  begin(*a, {{&first}, {&second}});
  EXPECT_TRUE(a->cancel());
  EXPECT_EQ(a->state(), State::Cancelled);
  EXPECT_FALSE(a->cancel());
  signal(first);
  signal(second);
  EXPECT_TRUE(told().empty());
  EXPECT_EQ(a->ref_count_for_test(), 1u);
}

TEST_F(SyncObjectTest, CancellingComesTooLateOnceItIsOnTheWayToBeTold) {
  Counted mutex = Counted::mutex(true);
  auto a = waiter(1);
  mutex.try_wait(*a, 0);
  ASSERT_TRUE(mutex.signal(0, Rewind::Refused, woken).ok());
  EXPECT_FALSE(a->cancel());
  EXPECT_EQ(a->ref_count_for_test(), 2u);
  woken.deliver();
  EXPECT_EQ(told(), Told{1});
  EXPECT_EQ(a->ref_count_for_test(), 1u);
}

TEST_F(SyncObjectTest, AWaiterWithoutAReferenceLivesUntilItHasBeenTold) {
  Counted mutex = Counted::mutex(true);
  mutex.try_wait(*waiter(1), 0);
  signal(mutex);
  EXPECT_EQ(told(), Told{1});
}

TEST_F(SyncObjectTest, WaitsForADestroyedObjectEndAsLost) {
  Counted gone = Counted::mutex(true), other = Counted::mutex(true);
  auto a = waiter(1), b = waiter(2), late = waiter(3);
  begin(*a, {{&gone}, {&other}});
  gone.try_wait(*b, 0);
  close(gone);
  EXPECT_EQ(told(), (Told{1, 2}));
  EXPECT_EQ(a->state(), State::Lost);
  EXPECT_FALSE(other.has_waiters());
  EXPECT_TRUE(begin(*late, {{&other}, {&gone}}));
  EXPECT_EQ(late->state(), State::Lost);
}

TEST_F(SyncObjectTest, ACpuNotificationTellsItsEventEachTime) {
  CpuNotification notification(waiter(7));
  signal(notification);
  signal(notification);
  EXPECT_EQ(told(), (Told{7, 7}));
  close(notification);
  signal(notification);
  EXPECT_TRUE(told().empty());
}

TEST_F(SyncObjectTest, AWokenWaiterMaySignalWithTheSameList) {
  class Chain final : public Wakeable {
   public:
    Chain(SyncObject& next, WokenList& list) : next_(next), list_(list) {}
    void wake() override { EXPECT_TRUE(next_.signal(0, Rewind::Refused, list_).ok()); }

   private:
    SyncObject& next_;
    WokenList& list_;
  };
  Counted mutex = Counted::mutex(true);
  auto a = waiter(1);
  mutex.try_wait(*a, 0);
  CpuNotification notification(base::make_ref<Chain>(mutex, woken));
  signal(notification);
  woken.deliver();
  EXPECT_EQ(told(), Told{1});
}

}  // namespace
}  // namespace vidsch
