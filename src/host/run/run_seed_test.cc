#include "host/run/run_seed.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "abi/km/wdm.h"
#include "host/run/files_copy.h"
#include "host/run/run_in_process.h"
#include "nt/boundary/driver_call.h"
#include "nt/fault/fault.h"

namespace host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Ended = nt::Machine::Ended;

// What the compiler calls at each edge of a driver's code.
extern "C" void __sanitizer_cov_trace_pc_guard(uint32_t*);

// The sanitizers would judge the access before the processor does.
__attribute__((no_sanitize("address", "undefined", "thread"), noinline)) void write_to(uintptr_t address) {
  *reinterpret_cast<volatile char*>(address) = 1;
}

void yield_often(ScenarioContext& context) {
  for (int i = 0; i < 10; ++i) context.machine.executor().yield(base::Point::Yield);
}

void quiet(ScenarioContext& context) {
  context.machine.create_thread("other", [&context] { yield_often(context); });
  yield_often(context);
  context.activity.ddi_calls = 3;
}
void longer(ScenarioContext& context) {
  quiet(context);
  context.machine.create_thread("third", [&context] { yield_often(context); });
  yield_often(context);
  yield_often(context);
}
void crash(ScenarioContext& context) {
  nt::call_driver(
      context.machine, "Routine", nullptr, +[] { write_to(0x10); });
}
void deadlock(ScenarioContext&) {
  KEVENT never;
  KeInitializeEvent(&never, NotificationEvent, FALSE);
  KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, nullptr);
}
void spin(ScenarioContext& context) {
  nt::call_driver(
      context.machine, "Routine", nullptr, +[] {
        for (uint32_t guard = 1;;) __sanitizer_cov_trace_pc_guard(&guard);
      });
}
void complain(ScenarioContext& context) {
  context.machine.report_violation(nt::Violation::AssertionFailed, "it happened");
}
void fail_here_and_there(ScenarioContext& context) {
  for (int i = 0; i < 3; ++i) (void)context.machine.fails(nt::FaultKind::Pool, "here");
  (void)context.machine.fails(nt::FaultKind::Pool, "there");
}

constexpr Scenario scenario(void (*run)(ScenarioContext&)) {
  return {.name = "test/scenario", .story = "", .run = run};
}

class RunSeedTest : public ::testing::Test {
 protected:
  RunSeedTest() {
    nt::install_fault_handlers();
    auto images = Images::load(SAMPLE_DRIVER, {}, {});
    CHECK_MSG(images.ok(), images.error().c_str());
    images_ = images.take();
    judge_.emplace(verifier::Options{.drivers = {images_->file_name()}}, modules_);
    options_.run.driver = "as/named.so";
  }
  SeedResult run(void (*body)(ScenarioContext&), uint64_t seed = 0) {
    return run_seed(*images_, scenario(body), seed, options_, *judge_, writer_);
  }
  std::vector<std::string> rules() const {
    std::vector<std::string> rules;
    for (const auto& finding : judge_->findings()) rules.push_back(finding.rule);
    return rules;
  }
  static std::string rule(nt::Violation what) { return verifier::rule_for(what).id; }

  std::optional<Images> images_;
  base::ModuleMap modules_;
  std::optional<verifier::Verifier> judge_;
  trace::Writer writer_;
  SeedOptions options_;
};

TEST_F(RunSeedTest, AQuietSeedReturns) {
  SeedResult result = run(quiet);
  EXPECT_EQ(result.ended, Ended::Returned);
  EXPECT_FALSE(result.divergence);
  EXPECT_EQ(result.activity.ddi_calls, 3u);
  EXPECT_FALSE(result.files_changed);
  EXPECT_EQ(result.trace_error, "");
  EXPECT_THAT(rules(), IsEmpty());
}

TEST_F(RunSeedTest, ACrashIsAFindingAndTheNextSeedIsQuiet) {
  EXPECT_EQ(run(crash).ended, Ended::Stopped);
  EXPECT_THAT(rules(), ElementsAre(rule(nt::Violation::Crash)));
  EXPECT_EQ(run(quiet).ended, Ended::Returned);
  EXPECT_THAT(rules(), IsEmpty());
}

TEST_F(RunSeedTest, AWaitThatNeverEndsIsAFinding) {
  EXPECT_EQ(run(deadlock).ended, Ended::Stopped);
  EXPECT_THAT(rules(), ElementsAre(rule(nt::Violation::Deadlock)));
}

TEST_F(RunSeedTest, ALoopThatNeverEndsIsAFindingAfterTheEdgesThatWereGiven) {
  options_.run.hang_edges = 100'000;
  EXPECT_EQ(run(spin).ended, Ended::Stopped);
  EXPECT_THAT(rules(), ElementsAre(rule(nt::Violation::Hang)));
}

TEST_F(RunSeedTest, ARuleThatIsOffEndsNoRunWhereTheMachineCanGoOn) {
  judge_->set_action(rule(nt::Violation::AssertionFailed), verifier::Action::Off);
  SeedResult result = run(complain);
  EXPECT_EQ(result.ended, Ended::Returned);
  EXPECT_EQ(result.incomplete, "");
  EXPECT_THAT(rules(), IsEmpty());
}

TEST_F(RunSeedTest, WhereNothingCanGoOnBehindARuleThatIsOffTheRunIsIncomplete) {
  for (auto [body, what] : {std::pair(&crash, nt::Violation::Crash), std::pair(&deadlock, nt::Violation::Deadlock)}) {
    judge_->set_action(rule(what), verifier::Action::Off);
    SeedResult result = run(body);
    EXPECT_EQ(result.ended, Ended::Stopped);
    EXPECT_EQ(result.incomplete, rule(what) + " is off, and nothing can go on behind it");
    EXPECT_THAT(rules(), IsEmpty());
  }
  EXPECT_EQ(run(quiet).incomplete, "");
}

TEST_F(RunSeedTest, AFindingNamesItsRun) {
  options_.run.processors = 4;
  options_.run.profile = "wddm2.0";
  options_.run.hang_edges = 500'000;
  run(complain, 17);
  ASSERT_THAT(judge_->findings(), SizeIs(1));
  EXPECT_EQ(judge_->findings()[0].run, context_of(options_.run, "test/scenario", 17));
}

TEST_F(RunSeedTest, TheSameSeedDoesTheSame) {
  options_.trace = true;
  SeedResult first = run(quiet, 5), other = run(quiet, 6), again = run(quiet, 5);
  EXPECT_NE(first.trace_hash, 0u);
  EXPECT_GT(first.events, 0u);
  EXPECT_EQ(first.trace_hash, again.trace_hash);
  EXPECT_EQ(first.events, again.events);
  EXPECT_NE(first.trace_hash, other.trace_hash);
}

TEST_F(RunSeedTest, ARecordedScheduleIsPlayedBackUnderAnotherSeed) {
  nt::Schedule first, other, played;
  options_.record = &first;
  run(quiet, 2);
  options_.record = &other;
  run(quiet, 6);
  ASSERT_NE(first.entries, other.entries) << "the two seeds must differ for this test to say anything";
  options_.run.replay = first;
  options_.record = &played;
  SeedResult result = run(quiet, 6);
  EXPECT_EQ(result.ended, Ended::Returned);
  EXPECT_FALSE(result.divergence);
  EXPECT_EQ(played.entries, first.entries);
}

TEST_F(RunSeedTest, AScheduleOfAnotherProgramDiverges) {
  nt::Schedule schedule;
  options_.record = &schedule;
  run(quiet, 2);
  options_.record = nullptr;
  options_.run.replay = schedule;
  SeedResult result = run(longer, 2);
  EXPECT_EQ(result.ended, Ended::Diverged);
  ASSERT_TRUE(result.divergence);
  EXPECT_NE(result.divergence->what, "");
  EXPECT_THAT(rules(), IsEmpty()) << "a divergence is nobody's fault";
}

TEST_F(RunSeedTest, TheDriversMemoryIsAsItWasBeforeEverySeed) {
  auto* counter = static_cast<uint32_t*>(dlsym(dlopen(SAMPLE_DRIVER, RTLD_NOW | RTLD_NOLOAD), "sample_counter"));
  ASSERT_TRUE(counter);
  *counter = 99;
  run(quiet);
  EXPECT_EQ(*counter, 7u);
}

TEST_F(RunSeedTest, AFaultIsReachedAndItsPlacesAreTold) {
  options_.run.fault = 2;
  SeedResult second = run(fail_here_and_there);
  EXPECT_TRUE(second.fault_reached);
  EXPECT_THAT(second.fault_places, SizeIs(2));
  options_.run.fault = 3;
  SeedResult third = run(fail_here_and_there);
  EXPECT_FALSE(third.fault_reached);
  EXPECT_EQ(third.fault_places, second.fault_places) << "a place is the same number in every run";
  options_.run.fault = 0;
  EXPECT_THAT(run(fail_here_and_there).fault_places, IsEmpty());
}

TEST_F(RunSeedTest, ATraceThatCannotBeWrittenIsToldWithItsFile) {
  options_.trace = true;
  options_.run.trace_file = "/nowhere/at/all.trace";
  SeedResult result = run(quiet);
  EXPECT_EQ(result.ended, Ended::Returned);
  EXPECT_THAT(result.trace_error, HasSubstr("/nowhere/at/all.trace: "));
}

TEST_F(RunSeedTest, ATraceIsWrittenToItsFile) {
  ScratchFolder folder;
  options_.trace = true;
  options_.run.trace_file = folder.path() + "/one.trace";
  EXPECT_EQ(run(quiet).trace_error, "");
  EXPECT_GT(std::filesystem::file_size(options_.run.trace_file), 0u);
}

TEST_F(RunSeedTest, AnObserverIsAskedInTheVerifiersPlace) {
  struct Silent final : nt::MachineObserver {
    nt::Then report_violation(const nt::ViolationReport& violation) override {
      seen.push_back(violation.sentence);
      return nt::Then::GoOn;
    }
    std::vector<std::string> seen;
  } observer;
  options_.observer = &observer;
  run(complain);
  EXPECT_THAT(observer.seen, ElementsAre("it happened"));
  EXPECT_THAT(rules(), IsEmpty());
}

// --- Without a child ---

CheckOptions options_for(const Scenario& which) {
  CheckOptions options;
  options.run.driver = SAMPLE_DRIVER;
  options.scenarios = {&which};
  options.first_seed = 3;
  options.seeds = 1;
  return options;
}

TEST(RunInProcessTest, WhatIsFoundHereIsConfirmed) {
  const Scenario which = scenario(complain);
  CheckResult result = check_in_process(options_for(which));
  ASSERT_THAT(result.scenarios, SizeIs(1));
  EXPECT_EQ(result.scenarios[0].seeds_run, 1u);
  EXPECT_EQ(result.scenarios[0].failing_seeds, 1u);
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_TRUE(result.findings[0].confirmed);
  EXPECT_EQ(result.findings[0].finding.run.seed, 3u);
  EXPECT_EQ(result.scenarios[0].outcome, verifier::Outcome::Found);
}

TEST(RunInProcessTest, AQuietSeedFindsNothing) {
  const Scenario which = scenario(quiet);
  CheckResult result = check_in_process(options_for(which));
  EXPECT_EQ(result.usage_error, "");
  EXPECT_EQ(result.scenarios[0].failing_seeds, 0u);
  EXPECT_EQ(result.scenarios[0].outcome, verifier::Outcome::Passed);
  EXPECT_EQ(result.scenarios[0].activity.ddi_calls, 3u);
  EXPECT_THAT(result.findings, IsEmpty());
}

TEST(RunInProcessTest, ADriverThatIsNotThereIsRefusedByName) {
  const Scenario which = scenario(quiet);
  CheckOptions options = options_for(which);
  options.run.driver = "/nowhere/none.so";
  CheckResult result = check_in_process(options);
  EXPECT_THAT(result.usage_error, HasSubstr("/nowhere/none.so"));
  EXPECT_THAT(result.scenarios, IsEmpty());
}

}  // namespace
}  // namespace host
