#include "nt/machine/machine.h"

#include <set>

#include "base/sanitizer.h"
#include "nt/boundary/driver_call.h"
#include "nt/hardware/interrupts.h"
#include "nt/testing/machine_fixture.h"

extern "C" void __sanitizer_cov_trace_pc_guard(uint32_t* guard);

namespace nt {
namespace {

using Strings = std::vector<std::string>;

// A little of everything: locks, events, timers, DPCs, edges.
void busy_program(Machine& machine) {
  KSPIN_LOCK lock = 0;
  KEVENT event;
  KTIMER timer;
  KDPC dpc;
  int turns = 0;
  KeInitializeEvent(&event, SynchronizationEvent, FALSE);
  KeInitializeTimer(&timer);
  KeInitializeDpc(
      &dpc, [](KDPC*, void* raw, void*, void*) { KeSetEvent(static_cast<KEVENT*>(raw), 0, FALSE); }, &event);
  std::vector<Thread*> threads;
  for (int i = 0; i < 3; ++i) {
    threads.push_back(&machine.create_thread("worker " + std::to_string(i), [&] {
      for (int k = 0; k < 5; ++k) {
        KIRQL old;
        KeAcquireSpinLock(&lock, &old);
        ++turns;
        KeReleaseSpinLock(&lock, old);
        uint32_t guard = 1;
        for (int edge = 0; edge < 200; ++edge) __sanitizer_cov_trace_pc_guard(&guard);
      }
    }));
  }
  for (int i = 0; i < 3; ++i) {
    KeSetTimer(&timer, LARGE_INTEGER{.QuadPart = -50}, &dpc);
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, nullptr);
  }
  for (Thread* thread : threads) KeWaitForSingleObject(thread->body, Executive, KernelMode, FALSE, nullptr);
  EXPECT_EQ(turns, 15);
}

class MachineOfTests : public MachineTest {
 protected:
  void use_seed(uint64_t seed) {
    options.seed = seed;
    options.policy = policy_for_seed(seed);
  }
  // Runs the program with the trace on, and returns the hash of everything that happened.
  uint64_t traced(const std::function<void()>& body) {
    writer.reset();
    writer.turn_on();
    ended = end_of_run(body);
    return writer.hash();
  }
  uint64_t traced() {
    return traced([this] { busy_program(machine()); });
  }
  Machine::Ended ended = Machine::Ended::Returned;
};

TEST_F(MachineOfTests, TheSameSeedGivesTheSameRun) {
  std::set<uint64_t> hashes;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    use_seed(seed);
    uint64_t first = traced();
    uint64_t count = writer.count();
    EXPECT_EQ(traced(), first);
    EXPECT_EQ(writer.count(), count);
    EXPECT_GT(count, 100u);
    hashes.insert(first);
  }
  EXPECT_EQ(hashes.size(), 20u);
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(MachineOfTests, ARecordedScheduleGivesTheSameRun) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Schedule schedule;
    use_seed(seed);
    options.record = &schedule;
    uint64_t first = traced();
    options.record = nullptr;
    auto loaded = Schedule::from_text(schedule.to_text());
    ASSERT_TRUE(loaded.ok()) << loaded.error();
    options.replay = &loaded.value();
    EXPECT_EQ(traced(), first);
    EXPECT_EQ(ended, Machine::Ended::Returned);
    options.replay = nullptr;
  }
}

TEST_F(MachineOfTests, AScheduleOfAnotherProgramDiverges) {
  Schedule schedule;
  use_seed(5);
  options.record = &schedule;
  traced();
  options.record = nullptr;
  options.replay = &schedule;
  Machine other(options, observer, writer);
  EXPECT_EQ(other.run([&] {
    for (int i = 0; i < 10; ++i) other.executor().yield(base::Point::Yield);
  }),
            Machine::Ended::Diverged);
  ASSERT_TRUE(other.simulated().choices().divergence());
  EXPECT_NE(other.simulated().choices().divergence()->what, "");
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(MachineOfTests, AProgramThatEndsEarlyDiverges) {
  Schedule schedule;
  options.record = &schedule;
  traced();
  options.record = nullptr;
  schedule.entries.push_back({Decision::Pick, 2, 1});
  options.replay = &schedule;
  traced();
  EXPECT_EQ(ended, Machine::Ended::Diverged);
}

TEST_F(MachineOfTests, AFindingIsReplayedByItsSchedule) {
  Schedule schedule;
  use_seed(4);
  auto program = [&] {
    busy_program(machine());
    machine().report_violation(Violation::AssertionFailed, "enough");
  };
  options.record = &schedule;
  uint64_t first = traced(program);
  EXPECT_EQ(ended, Machine::Ended::Stopped);
  options.record = nullptr;
  options.replay = &schedule;
  EXPECT_EQ(traced(program), first);
  EXPECT_EQ(ended, Machine::Ended::Stopped);
}

TEST_F(MachineOfTests, StopEndsTheRunFromAnyThread) {
  run_to_stop([&] {
    machine().create_thread("stopper", [&] { machine().stop(); });
    KEVENT never;
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, nullptr);
    ADD_FAILURE() << "went on";
  });
  run([] {});
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(MachineOfTests, AViolationNamesTheThreadAndThePlace) {
  run_to_stop([&] {
    Thread& thread = machine().create_thread("culprit", [&] {
      call_driver(
          machine(), "Routine", nullptr, +[] {
            KeRaiseIrqlToDpcLevel();
            base::stop_watching_races();
            Machine::current()->report_violation(Violation::AssertionFailed, "it happened",
                                                 {{"before", Machine::current()->here()}});
          });
    });
    KeWaitForSingleObject(thread.body, Executive, KernelMode, FALSE, nullptr);
  });
  ASSERT_EQ(observer.violations.size(), 1u);
  const ViolationReport& violation = observer.violations[0];
  EXPECT_EQ(violation.thread, "culprit");
  EXPECT_GT(violation.thread_ordinal, 1u);
  EXPECT_EQ(violation.irql, DISPATCH_LEVEL);
  EXPECT_EQ(violation.in_call, "Routine");
  ASSERT_EQ(violation.stacks.size(), 2u);
  EXPECT_EQ(violation.stacks[0].role, "here");
  EXPECT_EQ(violation.stacks[1].role, "before");
  EXPECT_GT(violation.stacks[0].stack.count, 3u);
}

TEST_F(MachineOfTests, ALoopWithoutCallsIsAHang) {
  options.hang_edges = 100'000;
  run_to_stop([&] {
    machine().create_thread("waiter", [&] {
      KEVENT never;
      KeInitializeEvent(&never, NotificationEvent, FALSE);
      KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, nullptr);
    });
    uint32_t guard = 1;
    for (;;) __sanitizer_cov_trace_pc_guard(&guard);
  });
  ASSERT_EQ(broken(), Strings{"Hang"});
  const ViolationReport& violation = observer.violations[0];
  EXPECT_EQ(violation.sentence, "thread 'main' ran 100000 edges without calling the kernel: a loop that never ends");
  Strings roles;
  for (const RoleStack& stack : violation.stacks) roles.push_back(stack.role);
  EXPECT_EQ(roles, (Strings{"thread 'main' runs", "thread 'waiter' waits"}));
}

TEST_F(MachineOfTests, APollWithoutEndIsALivelock) {
  options.livelock_points = 20'000;
  run_to_stop([&] {
    KSPIN_LOCK lock = 0;
    for (;;) {
      KIRQL old;
      KeAcquireSpinLock(&lock, &old);
      KeReleaseSpinLock(&lock, old);
    }
  });
  EXPECT_EQ(broken(), Strings{"Livelock"});
}

// --- Interrupts ---

struct Line {
  int calls = 0;
};

BOOLEAN isr(_KINTERRUPT* interrupt, void* context) {
  auto& line = *static_cast<Line*>(context);
  EXPECT_EQ(KeGetCurrentIrql(), interrupt->synchronize_irql);
  ++line.calls;
  return TRUE;
}

class InterruptsTest : public MachineOfTests {
 protected:
  _KINTERRUPT* connect(Line& line, uint32_t vector = 3, KIRQL irql = 6) {
    auto connected = machine().interrupts().connect({&isr, &line, vector, irql, irql, nullptr, true});
    return connected.ok() ? connected.take() : nullptr;
  }
  void pass_time() {
    LARGE_INTEGER millisecond{.QuadPart = -10'000};
    KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
  }
};

TEST_F(InterruptsTest, ARaisedLineCallsItsRoutine) {
  run_seeds(20, [&] {
    Line line;
    _KINTERRUPT* interrupt = connect(line);
    machine().interrupts().raise(3);
    pass_time();
    EXPECT_EQ(line.calls, 1);
    machine().interrupts().raise(4);  // no interrupt is connected to this line
    pass_time();
    EXPECT_EQ(line.calls, 1);
    machine().interrupts().disconnect(interrupt);
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(InterruptsTest, WaitsForTheLevelToFallBelowIts) {
  options.processors = 1;
  run_seeds(20, [&] {
    Line line;
    _KINTERRUPT* interrupt = connect(line);
    KIRQL old;
    KeRaiseIrql(6, &old);
    machine().interrupts().raise(3);
    machine().interrupts().raise(3);  // pending once
    for (int i = 0; i < 20; ++i) machine().executor().yield(base::Point::Yield);
    EXPECT_EQ(line.calls, 0);
    KeLowerIrql(DISPATCH_LEVEL);
    EXPECT_EQ(line.calls, 1);
    KeLowerIrql(old);
    EXPECT_EQ(line.calls, 1);
    machine().interrupts().disconnect(interrupt);
  });
}

TEST_F(InterruptsTest, HigherLinesComeFirstAndInterrupt) {
  options.processors = 1;
  run_seeds(20, [&] {
    static std::string log;
    log.clear();
    auto low = +[](_KINTERRUPT*, void*) -> BOOLEAN {
      log += "[low";
      base::stop_watching_races();  // a device raises it, not the driver
      Machine::current()->interrupts().raise(8);
      base::watch_races();
      KeStallExecutionProcessor(1);
      log += "]";
      return TRUE;
    };
    auto high = +[](_KINTERRUPT*, void*) -> BOOLEAN {
      log += "(high)";
      return TRUE;
    };
    auto one = machine().interrupts().connect({low, nullptr, 3, 5, 5, nullptr, false}).take();
    auto two = machine().interrupts().connect({high, nullptr, 8, 9, 9, nullptr, false}).take();
    machine().interrupts().raise(3);
    pass_time();
    EXPECT_EQ(log, "[low(high)]");
    machine().interrupts().disconnect(one);
    machine().interrupts().disconnect(two);
  });
}

TEST_F(InterruptsTest, DisconnectingDuringADeliveryIsSafe) {
  run_seeds(100, [&] {
    for (int i = 0; i < 5; ++i) {
      Line line;
      _KINTERRUPT* interrupt = connect(line);
      Thread& device = machine().create_thread("device", [&] {
        for (int k = 0; k < 4; ++k) {
          machine().interrupts().raise(3);
          machine().executor().yield(base::Point::Yield);
        }
      });
      for (int k = 0; k < 5; ++k) machine().executor().yield(base::Point::Yield);
      machine().interrupts().disconnect(interrupt);
      int calls = line.calls;
      KeWaitForSingleObject(device.body, Executive, KernelMode, FALSE, nullptr);
      pass_time();
      EXPECT_EQ(line.calls, calls);  // none once it is disconnected
    }
    EXPECT_EQ(broken(), Strings{});
  });
}

TEST_F(InterruptsTest, AnExclusiveVectorIsNotShared) {
  run([&] {
    Interrupts& interrupts = machine().interrupts();
    auto first = interrupts.connect({&isr, nullptr, 3, 6, 6, nullptr, false});
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(interrupts.connect({&isr, nullptr, 3, 6, 6, nullptr, true}).status(), STATUS_INVALID_PARAMETER);
    interrupts.disconnect(first.take());
    auto second = interrupts.connect({&isr, nullptr, 3, 6, 6, nullptr, true});
    EXPECT_TRUE(second.ok());
    interrupts.disconnect(second.take());
  });
}

struct Graphics {
  static constexpr MachinePart kMachinePart = MachinePart::Graphics;
};
struct Streaming {
  static constexpr MachinePart kMachinePart = MachinePart::Streaming;
};

TEST_F(MachineOfTests, WhatIsKeptOnItIsFoundByItsType) {
  run([&] {
    EXPECT_EQ(machine().part<Graphics>(), nullptr);
    Graphics graphics;
    Streaming streaming;
    machine().set_part(&graphics);
    machine().set_part(&streaming);
    EXPECT_EQ(machine().part<Graphics>(), &graphics);
    EXPECT_EQ(machine().part<Streaming>(), &streaming);
    machine().set_part<Graphics>(nullptr);
    EXPECT_EQ(machine().part<Graphics>(), nullptr);
    EXPECT_EQ(machine().part<Streaming>(), &streaming);
  });
}

}  // namespace
}  // namespace nt
