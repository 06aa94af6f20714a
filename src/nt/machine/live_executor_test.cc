#include "nt/machine/live_executor.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/debug/stack.h"

namespace nt {
namespace {

using base::kAnyProcessor;
using base::kForever;
using base::Point;
using base::Task;
using base::TimeNs;
using base::Wake;

constexpr uint64_t kSeed = 7;

// A LiveExecutor whose tasks are lambdas. The test's own variables outlive them if they are declared before it.
struct LiveMachine {
  explicit LiveMachine(uint32_t processors = 2) : executor({.processors = processors, .seed = kSeed}) {}

  Task& spawn(const std::string& name, std::function<void()> body, uint32_t processor = kAnyProcessor) {
    bodies.push_back(std::move(body));
    return executor.spawn(name, &call, &bodies.back(), processor);
  }
  Wake park(TimeNs deadline = kForever) { return executor.park(deadline, Point::Wait); }

  static void call(void* body) { (*static_cast<std::function<void()>*>(body))(); }

  std::deque<std::function<void()>> bodies;
  LiveExecutor executor;
};

// A task that holds a processor until it is unparked.
Task& hold(LiveMachine& live, uint32_t processor) {
  Task* asking = base::Executor::current();
  Task& holder = live.spawn(
      "holder",
      [&live, asking] {
        live.executor.pin();
        live.executor.unpark(*asking);
        live.park();
        live.executor.unpin();
      },
      processor);
  live.park();
  return holder;
}

TEST(LiveExecutor, KeepsOnePermitUntilTheTaskParks) {
  LiveMachine live;
  auto client = live.executor.attach("client");
  live.executor.unpark(client.task());
  live.executor.unpark(client.task());
  EXPECT_EQ(live.park(), Wake::Unparked);
  EXPECT_EQ(live.park(0), Wake::Deadline);
}

TEST(LiveExecutor, PastDeadlineDoesNotBlockAndLosesToAPermit) {
  LiveMachine live;
  auto client = live.executor.attach("client");
  EXPECT_EQ(live.park(live.executor.now()), Wake::Deadline);
  live.executor.unpark(client.task());
  EXPECT_EQ(live.park(0), Wake::Unparked);
}

TEST(LiveExecutor, DeadlineIsNotEarly) {
  LiveMachine live;
  auto client = live.executor.attach("client");
  for (int round = 0; round < 20; ++round) {
    TimeNs deadline = live.executor.now() + 100'000;
    EXPECT_EQ(live.park(deadline), Wake::Deadline);
    EXPECT_GE(live.executor.now(), deadline);
  }
}

TEST(LiveExecutor, DeadlineBeyondTheClockIsForever) {
  LiveMachine live;
  auto client = live.executor.attach("client");
  live.spawn("waker", [&] { live.executor.unpark(client.task()); });
  EXPECT_EQ(live.park(kForever - 1), Wake::Unparked);
}

// The counter is plain memory: the hand-over itself must order the two tasks' accesses.
TEST(LiveExecutor, TwoTasksTakeTurns) {
  constexpr int kRounds = 20'000;
  int turns = 0;
  {
    LiveMachine live;
    auto client = live.executor.attach("ping");
    Task& pong = live.spawn("pong", [&] {
      for (int round = 0; round < kRounds; ++round) {
        live.park();
        EXPECT_EQ(turns++, 2 * round + 1);
        live.executor.unpark(client.task());
      }
    });
    for (int round = 0; round < kRounds; ++round) {
      EXPECT_EQ(turns++, 2 * round);
      live.executor.unpark(pong);
      EXPECT_EQ(live.park(), Wake::Unparked);
    }
  }
  EXPECT_EQ(turns, 2 * kRounds);
}

// Givers count, relaxed, before each permit. The taker would sleep for ever if a permit were lost to a deadline, or
// were taken without seeing what was counted before it.
TEST(LiveExecutor, NoPermitIsLostToADeadlineOrToAnotherPermit) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  constexpr uint32_t kGivers = 3;
  constexpr uint32_t kEach = 10'000;
  std::atomic<uint32_t> given{0};
  LiveMachine live;
  auto client = live.executor.attach("taker");
  Task* taker = &client.task();  // outlives the attachment, as the last giver may
  for (uint32_t giver = 0; giver < kGivers; ++giver) {
    live.spawn("giver", [&live, &given, taker] {
      for (uint32_t i = 0; i < kEach; ++i) {
        given.fetch_add(1, std::memory_order_relaxed);
        live.executor.unpark(*taker);
      }
    });
  }
  uint32_t seen = 0;
  while (seen < kGivers * kEach) {
    bool patient = live.executor.choose(2) == 0;
    live.park(patient ? kForever : live.executor.now() + live.executor.choose(5'000));
    seen = given.load(std::memory_order_relaxed);
  }
  EXPECT_EQ(seen, kGivers * kEach);
}

// One permit a round, given at about the time the deadline passes. Whichever is first, the permit can be taken later.
TEST(LiveExecutor, PermitThatMeetsTheDeadlineIsKept) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  constexpr int kRounds = 5'000;
  LiveMachine live;
  auto client = live.executor.attach("taker");
  Task* taker = &client.task();
  Task& giver = live.spawn("giver", [&live, taker] {
    for (int round = 0; round < kRounds; ++round) {
      live.park();
      live.executor.unpark(*taker);
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    live.executor.unpark(giver);
    TimeNs deadline = live.executor.now() + live.executor.choose(40'000);
    if (live.park(deadline) == Wake::Deadline) live.park();
  }
  EXPECT_EQ(live.park(0), Wake::Deadline);  // none is left over
}

TEST(LiveExecutor, PinnedTasksHaveAProcessorEachAndWaitForOne) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  constexpr uint32_t kProcessors = 3;
  constexpr uint64_t kEach = 3'000;
  std::array<uint64_t, kProcessors> uses{};  // plain: each is guarded by its processor
  std::atomic<uint32_t> pinned{0};
  {
    std::function<void(uint32_t)> body;
    LiveMachine live(kProcessors);
    body = [&](uint32_t home) {
      for (uint64_t i = 0; i < kEach; ++i) {
        live.executor.pin();
        uint32_t processor = live.executor.processor();
        EXPECT_LE(pinned.fetch_add(1) + 1, kProcessors);
        EXPECT_TRUE(home == kAnyProcessor || processor == home);
        ++uses.at(processor);
        live.executor.stall(live.executor.choose(1'000));
        pinned.fetch_sub(1);
        live.executor.unpin();
      }
    };
    for (uint32_t task = 0; task < kProcessors + 1; ++task) live.spawn("any", [&] { body(kAnyProcessor); });
    live.spawn(
        "at home", [&] { body(1); }, 1);
  }
  EXPECT_EQ(uses[0] + uses[1] + uses[2], (kProcessors + 2) * kEach);
  EXPECT_GE(uses[1], kEach);
}

TEST(LiveExecutor, PinWaitsForTheOnlyProcessor) {
  std::atomic<bool> done{false};
  LiveMachine live(1);
  auto client = live.executor.attach("client");
  Task* waiting = &client.task();
  live.executor.pin();
  live.spawn("second", [&, waiting] {
    live.executor.unpark(*waiting);
    live.executor.pin();
    done = true;
    live.executor.unpin();
    live.executor.unpark(*waiting);
  });
  live.park();  // it is about to pin
  live.executor.stall(50'000);
  EXPECT_FALSE(done);
  live.executor.unpin();
  live.park();
  EXPECT_TRUE(done);
}

TEST(LiveExecutor, PrefersTheLastProcessorAndTakesAnother) {
  constexpr uint32_t kLast = 63;
  LiveMachine live(64);
  auto client = live.executor.attach("client");
  live.executor.bind(kLast);
  live.executor.bind(kAnyProcessor);
  live.executor.pin();
  EXPECT_EQ(live.executor.processor(), kLast);
  live.executor.unpin();
  EXPECT_EQ(live.executor.processor(), kLast);

  Task& holder = hold(live, kLast);
  live.executor.pin();
  EXPECT_NE(live.executor.processor(), kLast);
  live.executor.unpin();
  live.executor.unpark(holder);
}

// The first in the queue waits for another processor than the one that is given back.
TEST(LiveExecutor, ProcessorReachesTheTaskThatMayTakeIt) {
  for (int round = 0; round < 20; ++round) {
    LiveMachine live(2);
    auto client = live.executor.attach("client");
    Task* asking = &client.task();
    std::array<Task*, 2> holders = {&hold(live, 0), &hold(live, 1)};
    auto wait_for_processor = [&live, asking] {
      live.executor.unpark(*asking);
      live.executor.pin();
      live.executor.unpin();
      live.executor.unpark(*asking);
    };
    for (uint32_t processor : {0u, 1u}) {
      live.spawn("waiter", wait_for_processor, processor);
      live.park();
      live.executor.stall(50'000);  // most likely it sleeps by now; if not, the round says less
    }
    live.executor.unpark(*holders[1]);
    live.park();  // for ever, if the wrong one was woken
    live.executor.unpark(*holders[0]);
  }
}

TEST(LiveExecutor, BoundTaskPinsItsProcessorUntilItIsSetFree) {
  LiveMachine live(3);
  auto client = live.executor.attach("client");
  for (uint32_t processor : {2u, 0u, 1u}) {
    live.executor.bind(processor);
    EXPECT_EQ(live.executor.processor(), processor);
    live.executor.pin();
    EXPECT_EQ(live.executor.processor(), processor);
    live.executor.bind(processor);  // where it is already
    live.executor.unpin();
  }

  Task& holder = hold(live, live.executor.processor());
  live.executor.bind(kAnyProcessor);
  live.executor.pin();  // would wait for the holder for ever if it were still bound
  live.executor.unpin();
  live.executor.unpark(holder);
}

TEST(LiveExecutor, AttachingSetsFree) {
  LiveMachine live;
  {
    auto client = live.executor.attach("client");
    live.executor.bind(0);
  }
  auto again = live.executor.attach("client");
  Task& holder = hold(live, 0);
  live.executor.pin();
  EXPECT_EQ(live.executor.processor(), 1u);
  live.executor.unpin();
  live.executor.unpark(holder);
}

TEST(LiveExecutor, AttachedThreadIsATaskUntilItDetaches) {
  LiveMachine live;
  EXPECT_EQ(base::Executor::current(), nullptr);
  Task* was = nullptr;
  {
    auto client = live.executor.attach("client");
    was = &client.task();
    EXPECT_EQ(base::Executor::current(), was);
    EXPECT_EQ(was->name(), "client");
    was->local = &live;
    live.spawn("waker", [&live, was] { live.executor.unpark(*was); });
    EXPECT_EQ(live.park(), Wake::Unparked);
  }
  EXPECT_EQ(base::Executor::current(), nullptr);
  live.executor.unpark(*was);  // too late, and harmless
  {
    auto other = live.executor.attach("other");
    EXPECT_NE(&other.task(), was);
  }
  auto again = live.executor.attach("client");
  EXPECT_EQ(&again.task(), was);
  EXPECT_EQ(again.task().local, nullptr);
  EXPECT_EQ(live.park(0), Wake::Deadline);
}

TEST(LiveExecutor, ThreadsOfOneNameAttachedTogetherAreDifferentTasks) {
  LiveMachine live;
  auto client = live.executor.attach("client");
  Task* other = nullptr;
  std::thread([&] {
    auto same_name = live.executor.attach("client");
    other = &same_name.task();
  }).join();
  EXPECT_NE(other, &client.task());
}

TEST(LiveExecutor, SpawnedTaskKnowsItself) {
  std::string name;
  uint32_t processor = 0;
  Task* inside = nullptr;
  Task* outside = nullptr;
  {
    LiveMachine live(4);
    outside = &live.spawn(
        "a name longer than the system keeps",
        [&] {
          inside = base::Executor::current();
          name = inside->name();
          processor = live.executor.processor();
        },
        3);
  }
  EXPECT_EQ(inside, outside);
  EXPECT_EQ(name, "a name longer than the system keeps");
  EXPECT_EQ(processor, 3u);
}

// Each generation spawns the next as its last act, so most are born while the destructor already waits.
TEST(LiveExecutor, DestructorJoinsTasksThatTasksSpawn) {
  constexpr int kGenerations = 200;
  int born = 0;
  std::function<void()> generation;
  {
    LiveMachine live;
    generation = [&] {
      if (++born == kGenerations) return;
      live.executor.spawn("child", &LiveMachine::call, &generation, kAnyProcessor);
    };
    live.spawn("first", [&] { generation(); });
  }
  EXPECT_EQ(born, kGenerations);
}

TEST(LiveExecutor, ChoicesFollowFromSeedAndOrdinal) {
  auto choices = [](uint64_t seed, int ordinal) {
    LiveExecutor live({.processors = 1, .seed = seed});
    std::vector<uint64_t> drawn;
    for (int earlier = 1; earlier < ordinal; ++earlier) (void)live.attach("earlier " + std::to_string(earlier));
    auto client = live.attach("drawer");
    for (int i = 0; i < 16; ++i) drawn.push_back(live.choose(1'000));
    return drawn;
  };
  EXPECT_EQ(choices(1, 1), choices(1, 1));
  EXPECT_NE(choices(1, 1), choices(1, 2));
  EXPECT_NE(choices(1, 1), choices(2, 1));
  for (uint64_t drawn : choices(1, 1)) EXPECT_LT(drawn, 1'000u);
}

TEST(LiveExecutor, StallTakesItsTimeAndTimeNeverGoesBack) {
  LiveMachine live;
  TimeNs last = live.executor.now();
  for (TimeNs duration = 0; duration < 2'000; ++duration) {
    live.executor.stall(duration);
    TimeNs now = live.executor.now();
    EXPECT_GE(now, last + duration);
    last = now;
  }
}

TEST(LiveExecutor, EachThreadHasItsOwnStack) {
  const auto lies_on_own_stack = [] {
    return LiveExecutor::current_stack().contains(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  };
  base::StackBounds spawned;
  bool inside = false;
  {
    LiveMachine live;
    live.spawn("task", [&] {
      spawned = LiveExecutor::current_stack();
      inside = lies_on_own_stack();
      EXPECT_GT(base::capture(spawned, __builtin_frame_address(0)).count, 1u);
    });
  }
  EXPECT_TRUE(inside);
  EXPECT_TRUE(lies_on_own_stack());
  EXPECT_NE(spawned, LiveExecutor::current_stack());
}

class LiveDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(LiveDeathTest, BindingElsewhereWhilePinnedIsOurMistake) {
  EXPECT_DEATH(
      {
        LiveMachine live;
        auto client = live.executor.attach("client");
        live.executor.pin();
        live.executor.bind(1 - live.executor.processor());
      },
      "while it owns one");
}

TEST_F(LiveDeathTest, DetachingAtARaisedIrqlIsOurMistake) {
  EXPECT_DEATH(
      {
        LiveMachine live;
        auto client = live.executor.attach("client");
        live.executor.pin();
      },
      "raised IRQL");
}

TEST_F(LiveDeathTest, AttachingTwiceIsOurMistake) {
  EXPECT_DEATH(
      {
        LiveMachine live;
        auto client = live.executor.attach("client");
        auto again = live.executor.attach("again");
      },
      "a task already");
}

}  // namespace
}  // namespace nt
