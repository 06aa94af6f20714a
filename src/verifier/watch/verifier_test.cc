#include "verifier/watch/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nt/ke/spin_locks.h"
#include "nt/machine/machine.h"
#include "nt/mm/pool.h"
#include "trace/writer.h"

namespace verifier {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

nt::ViolationReport violation(nt::Violation what, std::string sentence = "it happened") {
  nt::ViolationReport violation;
  violation.what = what;
  violation.sentence = std::move(sentence);
  return violation;
}

class VerifierTest : public ::testing::Test {
 protected:
  std::vector<std::string> rules_found() const {
    std::vector<std::string> rules;
    for (const Finding& finding : verifier.findings()) rules.push_back(finding.rule);
    return rules;
  }

  base::ModuleMap modules;
  Verifier verifier{Options{}, modules};
};

TEST_F(VerifierTest, AnswersByTheRule) {
  EXPECT_EQ(verifier.report_violation(violation(nt::Violation::Leak)), nt::Then::GoOn);
  EXPECT_EQ(verifier.report_violation(violation(nt::Violation::PoolFreeInvalid)), nt::Then::Stop);
  EXPECT_THAT(rules_found(), ElementsAre("NT-LEAK-01", "NT-POOL-05"));
}

TEST_F(VerifierTest, CountsRepetitions) {
  verifier.report_violation(violation(nt::Violation::Leak, "block 1 was left"));
  verifier.report_violation(violation(nt::Violation::Leak, "block 2 was left"));
  ASSERT_THAT(verifier.findings(), SizeIs(1));
  EXPECT_EQ(verifier.findings()[0].times, 2u);
  EXPECT_EQ(verifier.findings()[0].sentence, "block 1 was left");
}

TEST_F(VerifierTest, ARuleCanBeOff) {
  ASSERT_TRUE(verifier.set_action("NT-POOL-05", Action::Off));
  EXPECT_EQ(verifier.report_violation(violation(nt::Violation::PoolFreeInvalid)), nt::Then::GoOn);
  EXPECT_THAT(verifier.findings(), IsEmpty());
  EXPECT_EQ(verifier.report_violation(violation(nt::Violation::Crash)), nt::Then::Stop);
}

TEST_F(VerifierTest, ARunThatEndsBehindARuleThatIsOffSaysSo) {
  EXPECT_EQ(verifier.unfinished(), "");
  ASSERT_TRUE(verifier.set_action("NT-CRASH-01", Action::Off));
  verifier.report_violation(violation(nt::Violation::Crash));
  EXPECT_EQ(verifier.unfinished(), "NT-CRASH-01 is off, and nothing can go on behind it");
  verifier.report_violation(violation(nt::Violation::PoolFreeInvalid));
  EXPECT_EQ(verifier.unfinished(), "") << "what came last ended it";
  verifier.report_violation(violation(nt::Violation::Crash));
  verifier.reset({});
  EXPECT_EQ(verifier.unfinished(), "");
}

TEST_F(VerifierTest, ARuleCanOnlyWarn) {
  ASSERT_TRUE(verifier.set_action("nt-pool-05", Action::Warn));
  EXPECT_EQ(verifier.report_violation(violation(nt::Violation::PoolFreeInvalid)), nt::Then::Stop);
  ASSERT_THAT(verifier.findings(), SizeIs(1));
  EXPECT_EQ(verifier.findings()[0].level, Level::Warning);
}

TEST_F(VerifierTest, ThereMustBeSuchARule) { EXPECT_FALSE(verifier.set_action("NT-NONE-01", Action::Off)); }

TEST_F(VerifierTest, ResetBeginsTheNextRun) {
  verifier.report_violation(violation(nt::Violation::Leak));
  RunContext next{"mill.so", "load", 8, "pct", "", 0};
  verifier.reset(next);
  EXPECT_THAT(verifier.findings(), IsEmpty());
  verifier.report_violation(violation(nt::Violation::Leak));
  ASSERT_THAT(verifier.findings(), SizeIs(1));
  EXPECT_EQ(verifier.findings()[0].run, next);
  EXPECT_EQ(verifier.findings()[0].times, 1u);
}

TEST_F(VerifierTest, AsksTheFaultPlan) {
  EXPECT_FALSE(verifier.fails({nt::FaultKind::Pool, "ExAllocatePool", 1}));
  FailNth plan(1);
  verifier.set_fault_plan(&plan);
  EXPECT_TRUE(verifier.fails({nt::FaultKind::Pool, "ExAllocatePool", 1}));
  EXPECT_FALSE(verifier.fails({nt::FaultKind::Pool, "ExAllocatePool", 1}));
  verifier.reset({});
  EXPECT_TRUE(verifier.fails({nt::FaultKind::Pool, "ExAllocatePool", 1}));
}

// On a machine: the locks are real, and lock orders come back as violations.
class VerifiedMachineTest : public VerifierTest {
 protected:
  nt::Machine::Ended run(const std::function<void(nt::Machine&)>& body) {
    nt::Machine machine(options, verifier, writer);
    verifier.attach(&machine);
    nt::Machine::Ended ended = machine.run([&] { body(machine); });
    verifier.attach(nullptr);
    return ended;
  }
  static void nest(nt::Machine& machine, std::initializer_list<ULONG_PTR*> locks) {
    KIRQL old = machine.self().irql;
    machine.raise_irql(DISPATCH_LEVEL);
    for (ULONG_PTR* lock : locks) nt::acquire_spin(machine, lock, nt::LockKind::Spin);
    for (auto at = std::rbegin(locks); at != std::rend(locks); ++at) nt::release_spin(machine, *at, nt::LockKind::Spin);
    machine.lower_irql(old);
  }

  nt::MachineOptions options;
  trace::Writer writer;
  ULONG_PTR a = 0, b = 0, c = 0;
};

TEST_F(VerifiedMachineTest, BothLockOrdersAreAFindingAndTheRunGoesOn) {
  auto ended = run([&](nt::Machine& machine) {
    nest(machine, {&a, &b});
    nest(machine, {&b, &a});
    nest(machine, {&b, &a});
  });
  EXPECT_EQ(ended, nt::Machine::Ended::Returned);
  ASSERT_THAT(rules_found(), ElementsAre("NT-LOCK-01"));
  const Finding& finding = verifier.findings()[0];
  EXPECT_EQ(finding.times, 1u);
  EXPECT_EQ(finding.irql, DISPATCH_LEVEL);
  ASSERT_THAT(finding.stacks, SizeIs(2));
  EXPECT_EQ(finding.stacks[0].role, "here");
  EXPECT_EQ(finding.stacks[1].role, "took spin lock 2 while holding spin lock 1");
  EXPECT_FALSE(finding.stacks[1].frames.empty());
}

TEST_F(VerifiedMachineTest, LongerCyclesToo) {
  run([&](nt::Machine& machine) {
    nest(machine, {&a, &b});
    nest(machine, {&b, &c});
    nest(machine, {&c, &a});
  });
  ASSERT_THAT(verifier.findings(), SizeIs(1));
  EXPECT_THAT(verifier.findings()[0].stacks, SizeIs(3));
}

TEST_F(VerifiedMachineTest, ALockThatWasOnlyTriedIsHeld) {
  run([&](nt::Machine& machine) {
    machine.raise_irql(DISPATCH_LEVEL);
    ASSERT_TRUE(nt::try_acquire_spin(machine, &a, nt::LockKind::Spin));
    nt::acquire_spin(machine, &b, nt::LockKind::Spin);
    nt::release_spin(machine, &b, nt::LockKind::Spin);
    nt::release_spin(machine, &a, nt::LockKind::Spin);
    machine.lower_irql(PASSIVE_LEVEL);
    nest(machine, {&b, &a});
  });
  EXPECT_THAT(rules_found(), ElementsAre("NT-LOCK-01"));
}

TEST_F(VerifiedMachineTest, ANewRunKnowsNoOrder) {
  run([&](nt::Machine& machine) { nest(machine, {&a, &b}); });
  verifier.reset({});
  run([&](nt::Machine& machine) { nest(machine, {&b, &a}); });
  EXPECT_THAT(verifier.findings(), IsEmpty());
}

TEST_F(VerifiedMachineTest, LocksAreWatchedOnlyIfWanted) {
  EXPECT_FALSE(verifier.wants_locks());  // it is attached to no machine yet
  Verifier silent(Options{{}, false}, modules);
  run([&](nt::Machine& machine) {
    EXPECT_TRUE(verifier.wants_locks());
    silent.attach(&machine);
    EXPECT_FALSE(silent.wants_locks());
  });
}

TEST_F(VerifiedMachineTest, FreedMemoryForgetsItsLocks) {
  run([&](nt::Machine& machine) {
    nest(machine, {&a, &b});
    verifier.memory_gone(reinterpret_cast<uintptr_t>(&b), reinterpret_cast<uintptr_t>(&b) + sizeof(b));
    nest(machine, {&b, &a});
  });
  EXPECT_THAT(verifier.findings(), IsEmpty());
}

}  // namespace
}  // namespace verifier
