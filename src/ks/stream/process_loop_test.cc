#include "ks/stream/process_loop.h"

#include <functional>
#include <memory>

#include "nt/mm/pool.h"
#include "nt/testing/machine_fixture.h"

namespace ks {
namespace {

using Outcome = ProcessLoop::Outcome;

constexpr ProcessLoop::Manner kHere{.dispatch = false, .asynchronous = false, .queue = DelayedWorkQueue};
constexpr ProcessLoop::Manner kLater{.dispatch = false, .asynchronous = true, .queue = CriticalWorkQueue};
constexpr ProcessLoop::Manner kDispatch{.dispatch = true, .asynchronous = false, .queue = DelayedWorkQueue};

// Frames that are numbers, and a Process that is whatever a test says; by default it takes one and goes on.
class FakeWork final : public ProcessLoop::Work {
 public:
  explicit FakeWork(nt::Machine& machine) : machine_(machine) {}

  bool ready() override { return frames > 0; }
  Outcome run() override {
    EXPECT_FALSE(running_) << "two at a time";
    running_ = true;
    ++calls;
    ran_on = &machine_.self();
    ran_at = machine_.self().irql;
    Outcome outcome = process ? process() : take();
    running_ = false;
    return outcome;
  }
  uint64_t progress() override { return taken; }
  uint64_t arrivals() override { return arrived; }
  bool cloned() override { return false; }

  void add(uint32_t count) { frames += count, arrived += count; }
  Outcome take() {
    if (frames) --frames, ++taken;
    return Outcome::More;
  }

  std::function<Outcome()> process;
  uint32_t frames = 0, calls = 0;
  uint64_t taken = 0, arrived = 0;
  nt::Thread* ran_on = nullptr;
  KIRQL ran_at = HIGH_LEVEL;

 private:
  nt::Machine& machine_;
  bool running_ = false;
};

class ProcessLoopTest : public nt::MachineTest {
 protected:
  // A loop over `work`, in a machine that runs `body`.
  void with_loop(const std::function<void()>& body) {
    run([&] { around(body); });
  }
  void around(const std::function<void()>& body) {
    ControlMutex its_mutex(machine());
    auto* its_gate =
        static_cast<KSGATE*>(machine().pool().allocate(sizeof(KSGATE), 0, nt::PoolKind::Internal, nt::PoolFill::Zero));
    KsGateInitializeAnd(its_gate, nullptr);
    {
      FakeWork its_work(machine());
      ProcessLoop its_loop(machine(), its_work, *its_gate, its_mutex, "the pin");
      gate = its_gate, mutex = &its_mutex, work = &its_work, loop = &its_loop;
      body();
    }
    machine().pool().free(its_gate, 0);
  }
  // Waits 1 ms of virtual time, in which all other threads come to rest.
  void rest() { machine().executor().park(machine().executor().now() + 1'000'000, base::Point::Wait); }

  KSGATE* gate = nullptr;
  ControlMutex* mutex = nullptr;
  FakeWork* work = nullptr;
  ProcessLoop* loop = nullptr;
};

TEST_F(ProcessLoopTest, ProcessesOnTheThreadThatTriggersUntilNothingIsLeft) {
  with_loop([&] {
    work->add(3);
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 3u);
    EXPECT_EQ(work->frames, 0u);
    EXPECT_EQ(work->ran_on, &machine().self());
    EXPECT_EQ(work->ran_at, PASSIVE_LEVEL);
  });
}

TEST_F(ProcessLoopTest, NothingIsCalledWithoutFrames) {
  with_loop([&] {
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 0u);
    EXPECT_EQ(gate->Count, 0) << "the class's own input is off";
  });
}

TEST_F(ProcessLoopTest, HoldsTheProcessingMutexMeanwhile) {
  with_loop([&] {
    bool held = false;
    work->process = [&] {
      held = mutex->held();
      return work->take();
    };
    work->add(1);
    loop->trigger(kHere);
    EXPECT_TRUE(held);
    EXPECT_FALSE(mutex->held());
  });
}

TEST_F(ProcessLoopTest, ATriggerAtDispatchLevelBecomesAWorkItemAtPassiveLevel) {
  with_loop([&] {
    work->add(2);
    machine().raise_irql(DISPATCH_LEVEL);
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 0u);
    machine().lower_irql(PASSIVE_LEVEL);
    rest();
    EXPECT_EQ(work->calls, 2u);
    EXPECT_NE(work->ran_on, &machine().self());
    EXPECT_EQ(work->ran_at, PASSIVE_LEVEL);
  });
}

TEST_F(ProcessLoopTest, AnAsynchronousOneIsAWorkItemAlways) {
  with_loop([&] {
    work->add(1);
    loop->trigger(kLater);
    loop->trigger(kLater);
    rest();
    EXPECT_EQ(work->calls, 1u);
    EXPECT_NE(work->ran_on, &machine().self());
  });
}

TEST_F(ProcessLoopTest, DispatchLevelProcessingRunsThereFromEitherLevel) {
  with_loop([&] {
    work->add(1);
    loop->trigger(kDispatch);
    EXPECT_EQ(work->ran_at, DISPATCH_LEVEL);
    EXPECT_EQ(machine().self().irql, PASSIVE_LEVEL);
    machine().raise_irql(DISPATCH_LEVEL);
    work->add(1);
    loop->trigger(kDispatch);
    EXPECT_EQ(work->calls, 2u);
    EXPECT_EQ(work->ran_on, &machine().self());
    machine().lower_irql(PASSIVE_LEVEL);
  });
}

TEST_F(ProcessLoopTest, WaitingEndsItUntilTheNextTrigger) {
  with_loop([&] {
    work->process = [&] {
      work->take();
      return Outcome::Wait;
    };
    work->add(3);
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 1u);
    EXPECT_TRUE(loop->waiting().waits);
    EXPECT_EQ(loop->waiting().progress, 1u);
    rest();
    EXPECT_EQ(work->calls, 1u);
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 2u);
  });
}

TEST_F(ProcessLoopTest, ATriggerFromWithinMakesItGoOn) {
  with_loop([&] {
    work->process = [&] {
      work->take();
      if (work->frames) loop->trigger(kHere);
      return Outcome::Wait;
    };
    work->add(3);
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 3u);
    EXPECT_TRUE(loop->waiting().waits);
  });
}

TEST_F(ProcessLoopTest, AnotherLoopIsServedWhenTheCallThatTriggeredItHasReturned) {
  with_loop([&] {
    KSGATE other_gate;
    KsGateInitializeAnd(&other_gate, nullptr);
    ControlMutex other_mutex(machine());
    FakeWork other(machine());
    ProcessLoop other_loop(machine(), other, other_gate, other_mutex, "the sink");
    work->process = [&] {
      other.add(1);
      other_loop.trigger(kHere);
      EXPECT_EQ(other.taken, work->taken) << "not yet";
      return work->take();
    };
    other.process = [&] {
      EXPECT_FALSE(mutex->held());
      loop->trigger(kHere);  // a frame comes back
      return other.take();
    };
    work->add(3);
    loop->trigger(kHere);
    EXPECT_EQ(other.calls, 3u);
    EXPECT_EQ(other.frames, 0u);
    EXPECT_EQ(other.ran_on, &machine().self());
    EXPECT_EQ(work->frames, 0u);
  });
}

TEST_F(ProcessLoopTest, AnAsynchronousTriggerFromWithinIsAWorkItem) {
  with_loop([&] {
    work->process = [&] {
      work->take();
      if (work->frames) loop->trigger(kLater);
      return Outcome::Wait;
    };
    work->add(2);
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 1u);
    rest();
    EXPECT_EQ(work->calls, 2u);
    EXPECT_NE(work->ran_on, &machine().self());
  });
}

TEST_F(ProcessLoopTest, AClosedGateKeepsProcessAway) {
  with_loop([&] {
    KsGateTurnInputOff(gate);
    work->add(1);
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 0u);
    KsGateTurnInputOn(gate);
    EXPECT_EQ(work->calls, 0u) << "opening it is no trigger";
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 1u);
  });
}

TEST_F(ProcessLoopTest, TheGateIsShutWhileProcessRuns) {
  with_loop([&] {
    work->process = [&] {
      EXPECT_FALSE(KsGateGetStateUnsafe(gate));
      EXPECT_FALSE(KsGateCaptureThreshold(gate));
      return work->take();
    };
    work->add(1);
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 1u);
  });
}

TEST_F(ProcessLoopTest, AnInputTurnedOnThatWasNotOffIsAFinding) {
  observer.then = nt::Then::GoOn;
  with_loop([&] {
    KsGateTurnInputOn(gate);
    work->add(1);
    loop->trigger(kHere);
    loop->trigger(kHere);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"KsGateMisused"});
}

TEST_F(ProcessLoopTest, SuccessWithoutProgressIsAFindingAndNotAnEndlessLoop) {
  observer.then = nt::Then::GoOn;
  with_loop([&] {
    work->process = [] { return Outcome::More; };
    work->add(1);
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 2u);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"KsNoProgress"});
}

TEST_F(ProcessLoopTest, ACallThatFoundNoFrameIsNoFinding) {
  with_loop([&] {
    uint32_t idle = 0;
    // The frame is cancelled before Process looks; another one comes before it returns.
    work->process = [&] {
      if (idle++ < 5) {
        work->frames = 0;
        work->add(1);
        return Outcome::More;
      }
      return work->take();
    };
    work->add(1);
    loop->trigger(kHere);
    EXPECT_EQ(work->taken, 1u);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(ProcessLoopTest, AThreadThatHoldsTheProcessingMutexLeavesProcessToAWorker) {
  with_loop([&] {
    work->add(1);
    mutex->acquire();
    loop->trigger(kHere);
    rest();
    EXPECT_EQ(work->calls, 0u);
    mutex->release();
    rest();
    EXPECT_EQ(work->calls, 1u);
    EXPECT_NE(work->ran_on, &machine().self());
  });
}

TEST_F(ProcessLoopTest, SuspendingWaitsForTheCallThatRuns) {
  with_loop([&] {
    bool done = false;
    work->process = [&] {
      rest();
      done = true;
      return work->take();
    };
    work->add(1);
    loop->trigger(kLater);
    machine().executor().park(machine().executor().now() + 1000, base::Point::Wait);
    EXPECT_EQ(work->calls, 1u);
    EXPECT_FALSE(done);
    loop->suspend();
    EXPECT_TRUE(done);
    loop->resume();
  });
}

TEST_F(ProcessLoopTest, ATriggerWhileSuspendedTakesEffectAfterResume) {
  with_loop([&] {
    loop->suspend();
    loop->suspend();
    work->add(1);
    loop->trigger(kHere);
    loop->resume();
    EXPECT_EQ(work->calls, 0u);
    loop->resume();
    EXPECT_EQ(work->calls, 1u);
  });
}

TEST_F(ProcessLoopTest, ARunThatSuspensionCutShortGoesOnAfterwards) {
  with_loop([&] {
    work->process = [&] {
      if (work->calls == 1) loop->suspend();  // by Process's own thread: does not wait for itself
      return work->take();
    };
    work->add(3);
    loop->trigger(kHere);
    EXPECT_EQ(work->calls, 1u);
    loop->resume();
    EXPECT_EQ(work->calls, 3u);
  });
}

// Threads that bring frames, at either level, and one that suspends: nothing is lost, whatever the schedule.
TEST_F(ProcessLoopTest, EveryFrameIsProcessedUnderEverySchedule) {
  constexpr uint32_t kThreads = 3, kRounds = 8;
  run_seeds(150, [&] {
    around([&] {
      uint32_t ended = 0;
      for (uint32_t i = 0; i < kThreads; ++i) {
        machine().create_thread("client", [&, i] {
          for (uint32_t round = 0; round < kRounds; ++round) {
            bool raised = (round + i) % 3 == 0;
            if (raised) machine().raise_irql(DISPATCH_LEVEL);
            bool first = work->frames == 0;
            work->add(1);
            if (first) loop->trigger(round % 2 ? kHere : kLater);
            if (raised) machine().lower_irql(PASSIVE_LEVEL);
            machine().executor().yield(base::Point::Yield);
          }
          ++ended;
        });
      }
      for (uint32_t i = 0; i < 4; ++i) {
        loop->suspend();
        uint64_t calls = loop->calls();
        machine().executor().yield(base::Point::Yield);
        EXPECT_EQ(loop->calls(), calls);
        loop->resume();
        machine().executor().yield(base::Point::Yield);
      }
      while (ended < kThreads) rest();
      rest();
      EXPECT_EQ(work->taken, uint64_t{kThreads * kRounds});
      EXPECT_EQ(gate->Count, 0);
    });
  });
}

}  // namespace
}  // namespace ks
