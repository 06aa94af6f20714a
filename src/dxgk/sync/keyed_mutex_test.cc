#include "dxgk/sync/keyed_mutex.h"

#include <memory>

#include "base/rng.h"
#include "nt/testing/machine_fixture.h"
#include "ob/global_handles.h"
#include "ob/handle_table.h"

namespace dxgk {
namespace {

using Outcome = KeyedMutex::Outcome;
using Bytes = std::vector<uint8_t>;
constexpr base::TimeNs kMs = 1'000'000;

class KeyedMutexTest : public nt::MachineTest {
 protected:
  // What a test opens, by name: a handle that can be closed.
  struct Opened {
    D3DKMT_HANDLE handle;
    base::Ref<KeyedMutexView> view;
  };

  ob::UnpublishedObject<KeyedMutex> create(uint64_t initial_key = 0, Bytes data = {}) {
    return KeyedMutex::create(machine(), ordinals, KeyedMutex::Sharing::GlobalHandle, initial_key, std::move(data));
  }
  Opened open(ob::UnpublishedObject<KeyedMutex> mutex) {
    auto view = ob::UnpublishedObject<KeyedMutexView>::adopt(new KeyedMutexView(std::move(mutex), ordinals));
    base::Ref<KeyedMutexView> keep = view.ref();
    return {table.reserve().take().publish(std::move(view)), keep};
  }
  Opened open_again(const Opened& other) { return open(*ob::UnpublishedObject<KeyedMutex>::open(other.view->mutex())); }
  void close(const Opened& opened) { ASSERT_TRUE(table.close<KeyedMutexView>(opened.handle).ok()); }

  // `wait` from now; 0 does not wait.
  base::Result<KeyedMutex::Acquisition> acquire(const Opened& by, uint64_t key, base::TimeNs wait = 0) {
    base::TimeNs now = machine().executor().now();
    return by.view->mutex().acquire(*by.view, key, wait == base::kForever ? wait : now + wait);
  }
  Outcome outcome(const Opened& by, uint64_t key, base::TimeNs wait = 0) {
    return acquire(by, key, wait).take().outcome;
  }
  NTSTATUS release(const Opened& by, uint64_t key, uint64_t fence = 0, const Bytes& data = {}) {
    return by.view->mutex().release_to(*by.view, key, fence, data).status();
  }
  void pass(base::TimeNs time) {
    base::Executor& executor = machine().executor();
    base::TimeNs end = executor.now() + time;
    while (executor.now() < end) executor.park(end, base::Point::Wait);
  }

  ob::Ordinals ordinals;
  ob::KmtHandleTable table;
};

TEST_F(KeyedMutexTest, IsAcquiredByTheKeyItWasReleasedTo) {
  run([&] {
    Opened a = open(create(7));
    EXPECT_EQ(outcome(a, 0), Outcome::TimedOut);
    EXPECT_EQ(acquire(a, 7).value().fence, 0u);
    EXPECT_EQ(release(a, 1, 1234), STATUS_SUCCESS);
    EXPECT_EQ(outcome(a, 7), Outcome::TimedOut);
    KeyedMutex::Acquisition acquired = acquire(a, 1).take();
    EXPECT_EQ(acquired.outcome, Outcome::Acquired);
    EXPECT_EQ(acquired.fence, 1234u);
    EXPECT_EQ(release(a, 0, 5), STATUS_SUCCESS);  // the fence may go back
    EXPECT_EQ(acquire(a, 0).value().fence, 5u);
    close(a);
  });
}

TEST_F(KeyedMutexTest, IsReleasedByItsOwnerOnly) {
  run([&] {
    Opened a = open(create());
    Opened b = open_again(a);
    EXPECT_EQ(release(a, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(outcome(a, 0), Outcome::Acquired);
    EXPECT_EQ(release(b, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(outcome(a, 0), Outcome::TimedOut);  // not recursive
    EXPECT_EQ(release(a, 0), STATUS_SUCCESS);
    EXPECT_EQ(release(a, 0), STATUS_INVALID_PARAMETER);
    close(a);
    close(b);
  });
}

TEST_F(KeyedMutexTest, TakesTheTimeItWasGiven) {
  run([&] {
    Opened a = open(create());
    base::TimeNs begin = machine().executor().now();
    EXPECT_EQ(outcome(a, 9, 10 * kMs), Outcome::TimedOut);
    EXPECT_EQ(machine().executor().now(), begin + 10 * kMs);
    EXPECT_EQ(outcome(a, 9), Outcome::TimedOut);
    EXPECT_EQ(machine().executor().now(), begin + 10 * kMs);
    close(a);
  });
}

TEST_F(KeyedMutexTest, ServesTheWaitersOfAKeyInTheOrderTheyCame) {
  run_seeds(20, [&] {
    Opened a = open(create());
    std::string log;
    ASSERT_EQ(outcome(a, 0), Outcome::Acquired);
    for (char name : std::string("xpyq")) {  // x and y wait for 1, p and q for 2
      uint64_t key = name < 'x' ? 2 : 1;
      machine().create_thread(std::string(1, name), [this, &a, &log, name, key] {
        Opened self = open_again(a);
        EXPECT_EQ(outcome(self, key, base::kForever), Outcome::Acquired);
        log += name;
        EXPECT_EQ(release(self, name == 'q' ? 1 : key), STATUS_SUCCESS);
        close(self);
      });
      pass(kMs);
    }
    EXPECT_EQ(log, "");
    EXPECT_EQ(release(a, 2), STATUS_SUCCESS);
    pass(kMs);
    EXPECT_EQ(log, "pqxy");
    close(a);
  });
}

TEST_F(KeyedMutexTest, NoThreadAcquiresBetweenAReleaseAndItsWaiter) {
  run_seeds(20, [&] {
    Opened a = open(create());
    bool served = false;
    ASSERT_EQ(outcome(a, 0), Outcome::Acquired);
    machine().create_thread("waiter", [&] {
      Opened self = open_again(a);
      EXPECT_EQ(outcome(self, 1, base::kForever), Outcome::Acquired);
      served = true;
      close(self);
    });
    pass(kMs);
    EXPECT_EQ(release(a, 1), STATUS_SUCCESS);
    // It is the waiter's already, wherever its thread is: taken, or abandoned when it was quick.
    EXPECT_NE(outcome(a, 1), Outcome::Acquired);
    pass(kMs);
    EXPECT_TRUE(served);
    close(a);
  });
}

TEST_F(KeyedMutexTest, IsAbandonedWithItsOwnersHandle) {
  run_seeds(20, [&] {
    Opened a = open(create());
    Opened b = open_again(a);
    ASSERT_EQ(outcome(a, 0), Outcome::Acquired);
    std::vector<Outcome> outcomes;
    for (uint64_t key : {0, 5}) {
      machine().create_thread("waiter", [&, key] { outcomes.push_back(outcome(b, key, 5000 * kMs)); });
    }
    pass(kMs);
    EXPECT_TRUE(outcomes.empty());
    close(a);
    pass(kMs);
    EXPECT_EQ(outcomes, (std::vector{Outcome::Abandoned, Outcome::Abandoned}));
    EXPECT_EQ(outcome(b, 0, base::kForever), Outcome::Abandoned);
    EXPECT_EQ(acquire(b, 1).value().fence, 0u);
    EXPECT_EQ(release(b, 0), STATUS_INVALID_PARAMETER);
    close(b);
  });
}

TEST_F(KeyedMutexTest, AHandleThatOwnsNothingGoesUnnoticed) {
  run([&] {
    Opened a = open(create());
    Opened b = open_again(a);
    ASSERT_EQ(outcome(a, 0), Outcome::Acquired);
    close(b);
    EXPECT_EQ(release(a, 3), STATUS_SUCCESS);
    EXPECT_EQ(outcome(a, 3), Outcome::Acquired);
    close(a);
  });
}

TEST_F(KeyedMutexTest, EndsAWaitThroughAHandleThatIsClosed) {
  run_seeds(20, [&] {
    Opened a = open(create());
    Opened b = open_again(a);
    NTSTATUS status = STATUS_SUCCESS;
    ASSERT_EQ(outcome(a, 0), Outcome::Acquired);
    machine().create_thread("waiter", [&] { status = acquire(b, 1, base::kForever).status(); });
    pass(kMs);
    close(b);
    pass(kMs);
    EXPECT_EQ(status, STATUS_INVALID_PARAMETER);
    EXPECT_EQ(acquire(b, 1).status(), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(release(a, 1), STATUS_SUCCESS);  // no view waits for key 1
    EXPECT_EQ(outcome(a, 1), Outcome::Acquired);
    close(a);
  });
}

TEST_F(KeyedMutexTest, KeepsTheFirstRuntimeDataAndJudgesBuffersByIt) {
  run([&] {
    Opened a = open(create());
    KeyedMutex& mutex = a.view->mutex();
    EXPECT_TRUE(mutex.offer_runtime_data({}).ok());
    EXPECT_TRUE(mutex.offer_runtime_data(Bytes{1, 2, 3}).ok());
    EXPECT_TRUE(mutex.offer_runtime_data(Bytes{4, 5, 6, 7}).ok());
    EXPECT_EQ(mutex.offer_runtime_data(Bytes{4, 5}).status(), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(mutex.runtime_data(), (Bytes{1, 2, 3}));
    close(a);
  });
}

TEST_F(KeyedMutexTest, AReleaseLeavesRuntimeDataForTheNext) {
  run([&] {
    Opened a = open(create(0, {1, 2, 3}));
    KeyedMutex& mutex = a.view->mutex();
    ASSERT_EQ(outcome(a, 0), Outcome::Acquired);
    EXPECT_EQ(release(a, 1, 0, {9}), STATUS_INVALID_PARAMETER);  // and it is still owned
    EXPECT_EQ(release(a, 1, 0, {9, 8, 7, 6}), STATUS_SUCCESS);
    EXPECT_EQ(mutex.runtime_data(), (Bytes{9, 8, 7}));
    ASSERT_EQ(outcome(a, 1), Outcome::Acquired);
    EXPECT_EQ(release(a, 1), STATUS_SUCCESS);
    EXPECT_EQ(mutex.runtime_data(), (Bytes{9, 8, 7}));
    close(a);
  });
}

TEST_F(KeyedMutexTest, IsFoundByItsGlobalHandleWhileItIsOpen) {
  run([&] {
    ob::GlobalHandles globals;
    ob::UnpublishedObject<KeyedMutex> mutex = create();
    uint32_t global = globals.share(mutex).take();
    Opened a = open(std::move(mutex));
    Opened b = open(globals.open<KeyedMutex>(global).take());
    close(a);
    EXPECT_TRUE(globals.open<KeyedMutex>(global).ok());
    close(b);
    EXPECT_FALSE(globals.open<KeyedMutex>(global).ok());
  });
}

// Threads that acquire, release, time out and go away at random: never two owners, never a lost waiter.
TEST_F(KeyedMutexTest, HasOneOwnerUnderEverySchedule) {
  run_seeds(50, [&] {
    constexpr int kThreads = 4;
    Opened a = open(create());
    int inside = 0, done = 0;
    for (int i = 0; i < kThreads; ++i) {
      machine().create_thread("client", [&, rng = base::Rng(options.seed * kThreads + i)]() mutable {
        Opened self = open_again(a);
        for (int step = 0; step < 20; ++step) {
          auto acquired = acquire(self, rng.below(2), rng.below(3) * kMs).take();
          if (acquired.outcome != Outcome::Acquired) continue;
          EXPECT_EQ(++inside, 1);
          pass(rng.below(2) * kMs);
          --inside;
          EXPECT_EQ(release(self, rng.below(2)), STATUS_SUCCESS);
        }
        close(self);
        ++done;
      });
    }
    pass(1000 * kMs);
    EXPECT_EQ(done, kThreads);
    EXPECT_NE(outcome(a, 0), outcome(a, 1));  // it was left with one of the keys, and is acquired now
    close(a);
  });
}

}  // namespace
}  // namespace dxgk
