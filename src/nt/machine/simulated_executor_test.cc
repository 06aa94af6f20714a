#include "nt/machine/simulated_executor.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "base/check.h"

extern "C" void __sanitizer_cov_trace_pc_guard(uint32_t* guard);

namespace nt {
namespace {

using base::kForever;
using base::Point;
using base::TimeNs;
using base::Wake;

void one_edge() {
  uint32_t guard = 1;
  __sanitizer_cov_trace_pc_guard(&guard);
}

// The executor alone, without a machine around it.
class SimulatedTest : public ::testing::Test, protected SimulatedExecutor::Owner {
 protected:
  SimulatedExecutor::Ended run(std::function<void()> body) {
    stuck_.clear();
    SimulatedExecutor executor(*this, options);
    if (replayed) executor.choices().replay(*replayed);
    if (recorded) executor.choices().record(*recorded);
    executor_ = &executor;
    bodies_.clear();
    SimulatedExecutor::Ended ended = executor.run("main", &call, &bodies_.emplace_back(std::move(body)));
    divergence = executor.choices().divergence();
    executor_ = nullptr;
    return ended;
  }
  void run_policies(const std::function<void()>& body) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      options.seed = seed;
      options.policy = policy_for_seed(seed);
      EXPECT_EQ(run(body), SimulatedExecutor::Ended::Returned);
      EXPECT_EQ(stuck_, "");
      if (HasFatalFailure()) return;
    }
  }
  SimulatedExecutor& executor() { return *executor_; }
  base::Task& spawn(std::string name, std::function<void()> body, uint32_t processor = base::kAnyProcessor) {
    return executor().spawn(std::move(name), &call, &bodies_.emplace_back(std::move(body)), processor);
  }
  void sleep(TimeNs duration) { executor().sleep_for(duration); }

  SimulatedExecutor::Options options;
  const Schedule* replayed = nullptr;
  Schedule* recorded = nullptr;
  std::optional<Divergence> divergence;
  std::string stuck_;

 private:
  static void call(void* body) { (*static_cast<std::function<void()>*>(body))(); }

  void at_point(Point) override {}
  void switched(base::Task&) override {}
  void stuck(SimulatedExecutor::Stuck how) override {
    stuck_ = how == SimulatedExecutor::Stuck::Deadlock ? "deadlock"
             : how == SimulatedExecutor::Stuck::Hang   ? "hang"
                                                       : "livelock";
    executor().abandon();
  }
  void diverged() override { executor().abandon(); }
  void edge(EdgeEvent, uintptr_t) override {}

  SimulatedExecutor* executor_ = nullptr;
  std::deque<std::function<void()>> bodies_;
};

TEST_F(SimulatedTest, APermitGivenEarlierIsConsumedAtOnce) {
  run([&] {
    executor().unpark(*base::Executor::current());
    executor().unpark(*base::Executor::current());  // at most one is kept
    TimeNs before = executor().now();
    EXPECT_EQ(executor().park(kForever, Point::Wait), Wake::Unparked);
    EXPECT_EQ(executor().now(), before);
    EXPECT_EQ(executor().park(before + 100, Point::Wait), Wake::Deadline);
    EXPECT_EQ(executor().now(), before + 100);
  });
}

TEST_F(SimulatedTest, ADeadlineThatPassedIsNotWaitedFor) {
  run([&] {
    sleep(1000);
    EXPECT_EQ(executor().park(1, Point::Wait), Wake::Deadline);
    EXPECT_EQ(executor().now(), 1000u);
  });
}

TEST_F(SimulatedTest, TimeJumpsToTheNextDeadline) {
  run_policies([&] {
    std::vector<std::string> order;
    for (auto [name, due] : {std::pair("two hours", 2u), {"one hour", 1u}, {"three hours", 3u}}) {
      spawn(name, [this, &order, name = name, due = due] {
        sleep(due * TimeNs{600'000'000'000});
        order.push_back(name);
      });
    }
    sleep(4 * TimeNs{600'000'000'000});
    EXPECT_EQ(order, (std::vector<std::string>{"one hour", "two hours", "three hours"}));
  });
}

TEST_F(SimulatedTest, NoTaskWakesBeforeItsDeadline) {
  run_policies([&] {
    int awake = 0;
    for (TimeNs i = 1; i <= 20; ++i) {
      spawn("sleeper", [this, &awake, i] {
        TimeNs due = executor().now() + i * 37;
        sleep(due - executor().now());
        EXPECT_GE(executor().now(), due);
        ++awake;
      });
    }
    sleep(1'000'000);
    EXPECT_EQ(awake, 20);
  });
}

// A task may be woken between its deadline and its next step: that counts as woken, and leaves no permit behind.
TEST_F(SimulatedTest, AWakeAfterTheDeadlineLeavesNoPermit) {
  bool saw_late_wake = false;
  run_policies([&] {
    bool back = false, woken_before = false;
    base::Task& sleeper = spawn("sleeper", [&] {
      Wake first = executor().park(1000, Point::Wait);
      back = true;
      EXPECT_EQ(first, woken_before ? Wake::Unparked : Wake::Deadline);
      Wake second = executor().park(executor().now() + 5000, Point::Wait);
      EXPECT_EQ(second, woken_before ? Wake::Deadline : Wake::Unparked);
      saw_late_wake |= woken_before;
    });
    spawn("waker", [&] {
      executor().yield(Point::Yield);
      executor().stall(2000);
      executor().yield(Point::Yield);  // the deadline has passed; the sleeper may have run or not
      woken_before = !back;
      executor().unpark(sleeper);
    });
    sleep(100'000);
  });
  EXPECT_TRUE(saw_late_wake);
}

TEST_F(SimulatedTest, DeadlockWhenNoTaskCanEverRun) {
  EXPECT_EQ(run([&] {
              spawn("other", [&] { executor().park(kForever, Point::Wait); });
              executor().park(kForever, Point::Wait);
            }),
            SimulatedExecutor::Ended::Abandoned);
  EXPECT_EQ(stuck_, "deadlock");
}

// A wait that ended early leaves its deadline in the heap, where no task waits for it.
TEST_F(SimulatedTest, ADeadlineWithoutAWaiterDoesNotMoveTime) {
  TimeNs ended_at = 0;
  run([&] {
    base::Task& self = *base::Executor::current();
    spawn("waker", [&] { executor().unpark(self); });
    EXPECT_EQ(executor().park(options.time_limit + 1, Point::Wait), Wake::Unparked);
    ended_at = executor().now();
    executor().park(kForever, Point::Wait);
  });
  EXPECT_EQ(stuck_, "deadlock");
  EXPECT_LT(ended_at, 1'000'000u);
}

TEST_F(SimulatedTest, AWaitThatEndedCostsNothing) {
  run([&] {
    base::Task& waiter = spawn("waiter", [&] {
      for (int i = 0; i < 1'000; ++i) {
        while (executor().park(executor().now() + 1'000'000'000, Point::Wait) != Wake::Unparked) {
        }
      }
    });
    for (int i = 0; i < 1'000; ++i) {
      executor().yield(Point::Yield);
      executor().unpark(waiter);
      ASSERT_LE(executor().deadline_count(), 1u) << i;
    }
  });
}

TEST_F(SimulatedTest, ALoopThatNeverCallsUsIsAHang) {
  options.hang_edges = 50'000;
  uint64_t edges = 0;
  run([&] {
    for (;;) one_edge(), ++edges;
  });
  EXPECT_EQ(stuck_, "hang");
  EXPECT_GE(edges, 50'000u);
  EXPECT_LE(edges, 52'000u);
}

TEST_F(SimulatedTest, ALoopThatCallsUsIsNoHang) {
  options.hang_edges = 50'000;
  run([&] {
    for (int i = 0; i < 95'000; ++i) {  // beyond twice as many it is a livelock
      one_edge();
      if (i % 10'000 == 0) t_edge.called = true;  // as every kernel function does
    }
  });
  EXPECT_EQ(stuck_, "");
}

// Kernel calls of other tasks do not keep a looping task from being a hang.
TEST_F(SimulatedTest, AHangIsFoundBesideTasksThatWork) {
  options.hang_edges = 50'000;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    options.seed = seed;
    options.policy = policy_for_seed(seed);
    run([&] {
      spawn("hangs", [&] {
        for (;;) one_edge();
      });
      for (int i = 0; i < 1000; ++i) {
        t_edge.called = true;
        sleep(100'000);
      }
    });
    EXPECT_EQ(stuck_, "hang");
  }
}

TEST_F(SimulatedTest, YieldingForeverIsALivelock) {
  options.livelock_points = 5000;
  run([&] {
    for (;;) executor().yield(Point::Yield);
  });
  EXPECT_EQ(stuck_, "livelock");
}

// A poll through a function that is no scheduling point: while (!KeReadStateEvent(…)).
TEST_F(SimulatedTest, CallingUsForeverIsALivelock) {
  options.hang_edges = 10'000;
  run([&] {
    for (;;) {
      one_edge();
      t_edge.called = true;
    }
  });
  EXPECT_EQ(stuck_, "livelock");
}

TEST_F(SimulatedTest, TheTimeLimitEndsARun) {
  options.time_limit = 1'000'000;
  run([&] {
    for (;;) sleep(1000);
  });
  EXPECT_EQ(stuck_, "livelock");
}

TEST_F(SimulatedTest, EveryPolicyGetsPastASpinningWaiter) {
  run_policies([&] {
    int flag = 0;
    for (int i = 1; i <= 3; ++i) {
      spawn("setter", [&, i] {
        while (flag != i - 1) one_edge();
        for (int k = 0; k < 100; ++k) one_edge();
        flag = i;
      });
    }
    while (flag != 3) one_edge();
  });
}

TEST_F(SimulatedTest, EveryPolicyGetsPastAPollThatYields) {
  run_policies([&] {
    bool flag = false;
    spawn("setter", [&] { flag = true; });
    while (!flag) executor().yield(Point::Yield);
  });
}

TEST_F(SimulatedTest, AtMostOneTaskIsRaisedOnEachProcessor) {
  options.processors = 3;
  bool saw_all = false;
  run_policies([&] {
    std::set<uint32_t> raised;
    int left = 6;
    base::Task& main = *base::Executor::current();
    for (int i = 0; i < 6; ++i) {
      spawn("raiser", [&] {
        for (int k = 0; k < 10; ++k) {
          executor().yield(Point::Irql);
          executor().pin();
          uint32_t mine = executor().processor();
          EXPECT_LT(mine, 3u);
          EXPECT_TRUE(raised.insert(mine).second);
          saw_all |= raised.size() == 3;
          for (int n = 0; n < 5; ++n) {
            executor().yield(Point::Irql);
            EXPECT_EQ(executor().processor(), mine);
          }
          raised.erase(mine);
          executor().unpin();
        }
        if (--left == 0) executor().unpark(main);
      });
    }
    executor().park_until([&] { return left == 0; }, Point::Wait);
  });
  EXPECT_TRUE(saw_all);
}

TEST_F(SimulatedTest, NoOtherTaskRunsWhileAllProcessorsAreOwned) {
  options.processors = 1;
  run_policies([&] {
    bool raised = false;
    spawn("other", [&] { EXPECT_FALSE(raised); });
    executor().pin();
    raised = true;
    for (int i = 0; i < 50; ++i) executor().yield(Point::Irql);
    raised = false;
    executor().unpin();
    sleep(10'000);
  });
}

TEST_F(SimulatedTest, ABoundTaskStaysOnItsProcessor) {
  options.processors = 4;
  run_policies([&] {
    int left = 8;
    for (uint32_t i = 0; i < 8; ++i) {
      spawn(
          "bound",
          [&, i] {
            for (int k = 0; k < 10; ++k) {
              EXPECT_EQ(executor().processor(), i % 4);
              executor().pin();
              executor().yield(Point::Irql);
              EXPECT_EQ(executor().processor(), i % 4);
              executor().unpin();
              executor().yield(Point::Irql);
            }
            --left;
          },
          i % 4);
    }
    executor().bind(3);
    EXPECT_EQ(executor().processor(), 3u);
    while (left) executor().yield(Point::Yield);
    executor().bind(base::kAnyProcessor);
  });
}

// A task that is bound to an owned processor must not keep the tasks behind it in the queue from running.
TEST_F(SimulatedTest, ATaskThatCannotRunDoesNotStarveOthers) {
  run_policies([&] {
    bool flag = false;
    executor().bind(0);
    executor().pin();
    for (int i = 0; i < 3; ++i)
      spawn(
          "bound", [] {}, 0);
    for (int i = 0; i < 3; ++i) {
      spawn("setter", [&] {
        for (int k = 0; k < 3; ++k) executor().yield(Point::Yield);
        flag = true;
      });
    }
    for (int i = 0; i < 3; ++i)
      spawn(
          "bound", [] {}, 0);
    while (!flag) executor().yield(Point::Yield);
    executor().unpin();
  });
}

TEST_F(SimulatedTest, ABindingOfARaisedTaskWaitsUntilItIsLowered) {
  run_policies([&] {
    for (uint32_t i = 0; i < 4; ++i) {
      uint32_t here = executor().processor();
      executor().pin();
      executor().bind(1 - here);
      executor().yield(Point::Irql);
      EXPECT_EQ(executor().processor(), here);
      executor().unpin();
      executor().yield(Point::Irql);
      EXPECT_EQ(executor().processor(), 1 - here);
    }
  });
}

TEST_F(SimulatedTest, StacksOfEndedTasksAreUsedAgain) {
  std::set<uintptr_t> stacks;
  run_policies([&] {
    for (int i = 0; i < 300; ++i) {
      bool done = false;
      spawn("short", [&] {
        stacks.insert(executor().current_stack().lo);
        done = true;
      });
      while (!done) executor().yield(Point::Yield);
      executor().yield(Point::Yield);
    }
  });
  EXPECT_LT(stacks.size(), 50u);
}

TEST_F(SimulatedTest, ASchedulePlaysBackUnderAnotherSeed) {
  auto program = [this](std::string& log) {
    return [this, &log] {
      for (char name : {'a', 'b', 'c'}) {
        spawn("letter", [this, &log, name] {
          for (int i = 0; i < 20; ++i) {
            log += name;
            for (int k = 0; k < 300; ++k) one_edge();
            executor().yield(Point::Yield);
          }
        });
      }
      sleep(1'000'000'000);
    };
  };
  for (uint64_t seed = 0; seed < 9; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Schedule schedule;
    std::string first, second, other;
    options.seed = seed;
    options.policy = policy_for_seed(seed);
    recorded = &schedule;
    replayed = nullptr;
    run(program(first));
    recorded = nullptr;
    replayed = &schedule;
    options.seed = seed + 100;
    options.policy = PolicyKind::Random;
    run(program(second));
    EXPECT_EQ(second, first);
    EXPECT_FALSE(divergence) << divergence->what;
    EXPECT_EQ(run([&] {
                spawn("stranger", [&] { executor().yield(Point::Yield); });
                sleep(1);
              }),
              SimulatedExecutor::Ended::Abandoned);
    EXPECT_TRUE(divergence);
  }
}

TEST_F(SimulatedTest, ListsItsTasksForReports) {
  run([&] {
    spawn("parked", [&] { executor().park(kForever, Point::Wait); });
    spawn("ended", [] {});
    sleep(1000);
    std::vector<SimulatedExecutor::View> views = executor().tasks();
    ASSERT_EQ(views.size(), 2u);
    EXPECT_EQ(views[0].task->name(), "main");
    EXPECT_TRUE(views[0].current);
    EXPECT_FALSE(views[0].parked);
    EXPECT_EQ(views[1].task->name(), "parked");
    EXPECT_FALSE(views[1].current);
    EXPECT_TRUE(views[1].parked);
    EXPECT_GE(views[1].frame, views[1].stack.lo);
    EXPECT_LT(views[1].frame, views[1].stack.hi);
  });
}

}  // namespace
}  // namespace nt
