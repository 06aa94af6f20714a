#include "host/check/check_coordinator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "host/run/floors.h"
#include "host/testing/batch_lines.h"

namespace host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Time = CheckCoordinator::Time;
using verifier::Outcome;

void never_run(ScenarioContext&) {}

constexpr Scenario kFirst{.name = "fake/first", .story = "", .run = never_run};
constexpr Scenario kSecond{.name = "fake/second", .story = "", .run = never_run, .bears_faults = true};

class CheckCoordinatorTest : public ::testing::Test {
 protected:
  CheckCoordinatorTest() {
    options_.run.driver = "fake.so";
    options_.scenarios = {&kFirst};
    options_.seeds = 2;
  }

  CheckCoordinator& coordinator() {
    if (!made_) {
      made_.emplace(options_, watch_);
      made_->plan_exploration();
    }
    return *made_;
  }
  Batch next(Time time = Time::Left) {
    auto batch = coordinator().next(time);
    EXPECT_TRUE(batch) << "nothing is left to run";
    return batch.value_or(Batch{});
  }
  bool nothing_is_left() { return !coordinator().next(Time::Left); }
  // Seeds as [first, end) of each batch that is left, none of which finds anything.
  std::vector<std::pair<uint64_t, uint64_t>> run_the_rest() {
    std::vector<std::pair<uint64_t, uint64_t>> ran;
    while (auto batch = coordinator().next(Time::Left)) {
      ran.emplace_back(batch->command.first, batch->command.first + batch->command.count);
      finish(*batch);
    }
    return ran;
  }
  void say(Batch& batch, const std::string& line) { EXPECT_FALSE(coordinator().take_line(batch, line)); }
  // The worker ends as it planned, having said that all of its seeds were quiet.
  void finish(Batch& batch) {
    for (uint64_t i = 0; i < batch.command.count && !batch.command.sweep; ++i) {
      say(batch, seed_line(batch.command.first + i));
    }
    end(batch, kWorkerDone, batch.command.first + batch.command.count - 1);
  }
  void end(Batch& batch, int code, uint64_t seed) {
    say(batch, end_line());
    coordinator().worker_ended(batch, {.code = code, .seed = seed});
  }
  void die(Batch& batch, uint64_t seed, int signal = SIGKILL) {
    coordinator().worker_ended(batch, {.signal = signal, .seed = seed});
  }
  void be_killed_for_time(Batch& batch, uint64_t seed) {
    coordinator().worker_ended(batch, {.signal = SIGKILL, .seed = seed, .killed_for_time = true});
  }
  verifier::Finding crash(uint64_t seed, const std::string& sentence = "it fell over") {
    return finding_of(nt::Violation::Crash, sentence, options_.scenarios[0]->name, seed);
  }
  CheckResult result() { return coordinator().take_result(); }

  CheckOptions options_;
  Watch watch_;
  std::optional<CheckCoordinator> made_;
};

TEST_F(CheckCoordinatorTest, EverySeedIsInExactlyOneBatch) {
  options_.scenarios = {&kFirst, &kSecond};
  options_.first_seed = 1000;
  options_.seeds = 300;
  std::map<std::pair<uint32_t, uint64_t>, int> ran;
  while (auto batch = coordinator().next(Time::Left)) {
    for (uint64_t i = 0; i < batch->command.count; ++i) ++ran[{batch->command.scenario, batch->command.first + i}];
  }
  EXPECT_THAT(ran, SizeIs(600));
  for (const auto& [seed, times] : ran) EXPECT_EQ(times, 1) << seed.first << " " << seed.second;
  EXPECT_EQ(ran.begin()->first.second, 1000u);
}

TEST_F(CheckCoordinatorTest, EveryScenarioIsTastedBeforeAnyIsExplored) {
  options_.scenarios = {&kFirst, &kSecond};
  options_.seeds = 100;
  Batch first = next(), second = next(), third = next();
  EXPECT_EQ(first.command.scenario, 0u);
  EXPECT_EQ(second.command.scenario, 1u);
  EXPECT_LT(first.command.count + second.command.count, 10u);
  EXPECT_EQ(third.command.scenario, 0u);
  EXPECT_EQ(third.command.first, first.command.count);
}

TEST_F(CheckCoordinatorTest, WhatSeedsSayIsCountedByScenario) {
  std::vector<uint64_t> progress;
  watch_.progress = [&](const Scenario&, uint64_t done, uint64_t total) {
    EXPECT_EQ(total, 2u);
    progress.push_back(done);
  };
  Batch batch = next();
  say(batch, R"({"type":"seed","seed":0,"failing":true,"hung":true,"activity":{"ddi_calls":5}})");
  say(batch, R"({"type":"seed","seed":1,"failing":false,"warned":true,"activity":{"ddi_calls":6},)"
             R"("hash":7,"findings_hash":8})");
  say(batch, end_line());
  coordinator().worker_ended(batch, {.code = kWorkerDone, .seed = 1, .milliseconds = 30});
  CheckResult told = result();
  ASSERT_THAT(told.scenarios, SizeIs(1));
  const ScenarioResult& scenario = told.scenarios[0];
  EXPECT_EQ(scenario.seeds_run, 2u);
  EXPECT_EQ(scenario.failing_seeds, 1u);
  EXPECT_EQ(scenario.hanging_seeds, 1u);
  EXPECT_EQ(scenario.warned_seeds, 1u);
  EXPECT_EQ(scenario.activity.ddi_calls, 11u);
  EXPECT_EQ(scenario.milliseconds, 30u);
  EXPECT_FALSE(scenario.cut_short);
  EXPECT_THAT(told.hashes["fake/first"], SizeIs(1));
  EXPECT_EQ(told.hashes["fake/first"][1].trace, 7u);
  EXPECT_EQ(told.hashes["fake/first"][1].findings, 8u);
  EXPECT_THAT(progress, ElementsAre(1, 2));
}

TEST_F(CheckCoordinatorTest, ALineThatWasCutOffSaysNothing) {
  Batch batch = next();
  say(batch, R"({"type":"seed","se)");
  say(batch, "");
  say(batch, "17");
  EXPECT_EQ(result().scenarios[0].seeds_run, 0u);
}

TEST_F(CheckCoordinatorTest, AZygoteTellsHowItsWorkerEnded) {
  Batch batch = next();
  auto ended = coordinator().take_line(batch, R"({"type":"exit","code":-1,"signal":11,"seed":1})");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, -1);
  EXPECT_EQ(ended->signal, 11);
  EXPECT_EQ(ended->seed, 1u);
}

// --- What is resumed ---

TEST_F(CheckCoordinatorTest, ABatchIsNotResumedWhenItsWorkerIsDone) {
  Batch batch = next();
  finish(batch);
  EXPECT_TRUE(nothing_is_left());
  EXPECT_EQ(result().scenarios[0].seeds_run, 2u);
}

TEST_F(CheckCoordinatorTest, ATaintedWorkersSeedsGoOnBehindItsLastOne) {
  options_.seeds = 52;
  Batch taste = next();
  finish(taste);
  Batch batch = next();
  say(batch, seed_line(2));
  say(batch, seed_line(3, true));
  end(batch, kWorkerTainted, 3);
  EXPECT_THAT(run_the_rest(), ElementsAre(std::pair(4, 52)));
  CheckResult told = result();
  EXPECT_EQ(told.scenarios[0].seeds_run, 52u);
  EXPECT_EQ(told.scenarios[0].failing_seeds, 1u);
  EXPECT_THAT(told.incomplete, IsEmpty());
}

TEST_F(CheckCoordinatorTest, NothingIsResumedBehindTheLastSeedOfABatch) {
  Batch batch = next();
  say(batch, seed_line(0));
  say(batch, seed_line(1, true));
  end(batch, kWorkerTainted, 1);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(CheckCoordinatorTest, TheSeedsOfADeadWorkerGoOnBehindTheFatalOne) {
  options_.seeds = 52;
  Batch taste = next();
  finish(taste);
  Batch batch = next();
  say(batch, seed_line(2));
  die(batch, 3);
  EXPECT_THAT(run_the_rest(), ElementsAre(std::pair(4, 52)));
  CheckResult told = result();
  EXPECT_EQ(told.scenarios[0].seeds_run, 52u);
  EXPECT_EQ(told.scenarios[0].failing_seeds, 1u);
  EXPECT_THAT(told.incomplete, ElementsAre(HasSubstr("fake/first --seed 3: the process died with signal 9 (Killed)")));
}

TEST_F(CheckCoordinatorTest, WhatIsResumedIsTheNextToRun) {
  options_.scenarios = {&kFirst, &kSecond};
  Batch first = next();
  die(first, 0);
  Batch rest = next();
  EXPECT_EQ(rest.command.scenario, 0u);
  EXPECT_EQ(rest.command.first, 1u);
  EXPECT_FALSE(rest.told);
  EXPECT_FALSE(rest.said_end);
}

TEST_F(CheckCoordinatorTest, ASeedThatWasToldBeforeItsWorkerDiedIsCountedOnce) {
  Batch batch = next();
  say(batch, seed_line(0));
  die(batch, 0);
  EXPECT_THAT(run_the_rest(), ElementsAre(std::pair(1, 2)));
  CheckResult told = result();
  EXPECT_EQ(told.scenarios[0].seeds_run, 2u);
  EXPECT_EQ(told.scenarios[0].failing_seeds, 1u);
}

TEST_F(CheckCoordinatorTest, AFailingSeedThatWasToldBeforeItsWorkerDiedFailsOnce) {
  Batch batch = next();
  say(batch, seed_line(0, true));
  die(batch, 0);
  EXPECT_EQ(result().scenarios[0].failing_seeds, 1u);
}

TEST_F(CheckCoordinatorTest, AWorkerThatExitsWithoutAnAnswerIsADeath) {
  Batch batch = next();
  coordinator().worker_ended(batch, {.code = kWorkerDone, .seed = 0});
  EXPECT_THAT(run_the_rest(), ElementsAre(std::pair(1, 2)));
  CheckResult told = result();
  EXPECT_EQ(told.scenarios[0].seeds_run, 2u);
  EXPECT_THAT(told.incomplete, ElementsAre("fake/first --seed 0: the process died with exit code 0"));
}

TEST_F(CheckCoordinatorTest, AnExitCodeOfNoKindIsADeath) {
  Batch batch = next();
  say(batch, end_line());
  coordinator().worker_ended(batch, {.code = 77, .seed = 1});
  EXPECT_TRUE(nothing_is_left());
  EXPECT_THAT(result().incomplete, ElementsAre("fake/first --seed 1: the process died with exit code 77"));
}

TEST_F(CheckCoordinatorTest, ACheckOfOursThatFailedIsOurFault) {
  Batch batch = next();
  coordinator().worker_ended(batch, {.code = kWorkerOurFault, .seed = 0});
  Batch rest = next();
  die(rest, 1, SIGABRT);
  CheckResult told = result();
  EXPECT_THAT(told.our_faults, ElementsAre("fake/first --seed 0", "fake/first --seed 1"));
  EXPECT_THAT(told.incomplete, IsEmpty());
}

TEST_F(CheckCoordinatorTest, TheRunThatDiedIsNamedWithItsFault) {
  options_.run.fault = 4;
  Batch batch = next();
  EXPECT_EQ(batch.command.fault, 4u);
  die(batch, 0);
  EXPECT_THAT(result().incomplete, ElementsAre(HasSubstr("fake/first --seed 0 --fault 4: ")));
}

TEST_F(CheckCoordinatorTest, AWorkerKilledForTimeIsAFindingOfItsSeed) {
  options_.wall_limit_s = 9;
  Batch batch = next();
  be_killed_for_time(batch, 0);
  Batch rest = next();
  EXPECT_EQ(rest.command.first, 1u);
  finish(rest);
  coordinator().plan_confirmation();
  CheckResult told = result();
  ASSERT_THAT(told.findings, SizeIs(1));
  const verifier::Finding& hang = told.findings[0].finding;
  EXPECT_EQ(hang.rule, verifier::finding_for(nt::Violation::Hang).rule);
  EXPECT_EQ(hang.sentence, "the driver did not return within 9 s of real time");
  EXPECT_EQ(hang.run.scenario, "fake/first");
  EXPECT_EQ(hang.run.seed, 0u);
  EXPECT_THAT(told.incomplete, IsEmpty());
  EXPECT_EQ(told.scenarios[0].failing_seeds, 1u);
}

TEST_F(CheckCoordinatorTest, AWorkerThatWasDoneBeforeItWasKilledForTimeIsDone) {
  Batch batch = next();
  say(batch, seed_line(0));
  say(batch, seed_line(1));
  say(batch, end_line());
  coordinator().worker_ended(batch, {.code = kWorkerDone, .seed = 1, .killed_for_time = true});
  coordinator().plan_confirmation();
  EXPECT_TRUE(nothing_is_left());
}

// --- A zygote that dies ---

TEST_F(CheckCoordinatorTest, ABatchWhoseZygoteWasDeadBeforeItIsRunByAnother) {
  Batch batch = next();
  coordinator().zygote_died(batch, std::nullopt);
  EXPECT_THAT(run_the_rest(), ElementsAre(std::pair(0, 2)));
  EXPECT_THAT(result().incomplete, ElementsAre("the process that had loaded the driver died"));
}

TEST_F(CheckCoordinatorTest, TheSeedsOfADeadZygoteGoOnBehindTheOneItsWorkerWasAt) {
  options_.seeds = 52;
  Batch taste = next();
  finish(taste);
  Batch batch = next();
  say(batch, seed_line(2));
  coordinator().zygote_died(batch, 3);
  EXPECT_THAT(run_the_rest(), ElementsAre(std::pair(4, 52)));
  CheckResult told = result();
  EXPECT_EQ(told.scenarios[0].seeds_run, 52u);
  EXPECT_EQ(told.scenarios[0].failing_seeds, 1u);
  EXPECT_EQ(told.scenarios[0].outcome, Outcome::Incomplete);
  EXPECT_EQ(told.scenarios[0].reason, "the process that had loaded the driver died (in 1 of 52 seeds)");
}

TEST_F(CheckCoordinatorTest, WhatNobodyIsLeftToRunIsToldAndDropped) {
  Batch batch = next();
  coordinator().zygote_died(batch, std::nullopt);
  coordinator().give_up();
  EXPECT_TRUE(nothing_is_left());
  EXPECT_THAT(result().incomplete,
              ElementsAre("the process that had loaded the driver died", "no process is left that can run the driver"));
}

TEST_F(CheckCoordinatorTest, NobodyNeedsToBeLeftWhenNothingIs) {
  Batch batch = next();
  finish(batch);
  coordinator().give_up();
  EXPECT_THAT(result().incomplete, IsEmpty());
}

// --- Limits ---

TEST_F(CheckCoordinatorTest, AScenarioThatHasFailedEnoughIsCutShort) {
  options_.seeds = 200;
  options_.max_failing_seeds = 2;
  Batch taste = next();
  EXPECT_EQ(taste.command.max_failing, 2u);
  say(taste, seed_line(0, true));
  say(taste, seed_line(1));
  end(taste, kWorkerDone, 1);
  Batch batch = next();
  EXPECT_EQ(batch.command.max_failing, 1u);
  say(batch, seed_line(2, true));
  end(batch, kWorkerDone, 2);
  EXPECT_TRUE(nothing_is_left());
  CheckResult told = result();
  EXPECT_EQ(told.scenarios[0].seeds_run, 3u);
  EXPECT_TRUE(told.scenarios[0].cut_short);
}

TEST_F(CheckCoordinatorTest, AScenarioThatFailsEnoughAtItsLastSeedIsNotCutShort) {
  options_.max_failing_seeds = 2;
  Batch batch = next();
  say(batch, seed_line(0, true));
  say(batch, seed_line(1, true));
  end(batch, kWorkerDone, 1);
  EXPECT_TRUE(nothing_is_left());
  EXPECT_FALSE(result().scenarios[0].cut_short);
}

TEST_F(CheckCoordinatorTest, AHangingSeedCountsForManyFailingOnes) {
  options_.seeds = 200;
  options_.max_failing_seeds = kHangingSeed + 1;
  Batch taste = next();
  say(taste, R"({"type":"seed","seed":0,"failing":true,"hung":true})");
  end(taste, kWorkerDone, 0);
  EXPECT_TRUE(nothing_is_left());
  EXPECT_TRUE(result().scenarios[0].cut_short);
}

TEST_F(CheckCoordinatorTest, OneScenariosFailuresDoNotCutAnotherShort) {
  options_.scenarios = {&kFirst, &kSecond};
  options_.max_failing_seeds = 1;
  Batch first = next();
  say(first, seed_line(0, true));
  end(first, kWorkerDone, 0);
  EXPECT_EQ(next().command.scenario, 1u);
}

TEST_F(CheckCoordinatorTest, SeedsThatTheTimeLimitCostAreToldAsLeftOut) {
  options_.seeds = 52;
  options_.time_limit_s = 60;
  Batch taste = next();
  finish(taste);
  EXPECT_FALSE(coordinator().next(Time::Over));
  coordinator().plan_confirmation();
  CheckResult told = result();
  EXPECT_EQ(told.left_out, 50u);
  EXPECT_EQ(told.scenarios[0].seeds_run, 2u);
  EXPECT_THAT(told.incomplete, IsEmpty());
}

TEST_F(CheckCoordinatorTest, AnyNumberOfSeedsIsLeftOutAtOnce) {
  options_.seeds = uint64_t{1} << 40;
  options_.time_limit_s = 60;
  Batch taste = next();
  finish(taste);
  EXPECT_FALSE(coordinator().next(Time::Over));
  EXPECT_EQ(result().left_out, (uint64_t{1} << 40) - 2);
}

TEST_F(CheckCoordinatorTest, AFindingIsConfirmedEvenWhenTheTimeIsOver) {
  Batch batch = next();
  say(batch, finding_line(crash(0)));
  finish(batch);
  coordinator().plan_confirmation();
  EXPECT_EQ(next(Time::Over).confirms, 0u);
}

// --- Findings ---

TEST_F(CheckCoordinatorTest, AFindingIsToldOnceAndKeptWithItsLowestSeed) {
  std::vector<uint64_t> found;
  watch_.found = [&](const verifier::Finding& finding) { found.push_back(finding.run.seed); };
  Batch batch = next();
  say(batch, finding_line(crash(1)));
  say(batch, finding_line(crash(0)));
  say(batch, finding_line(crash(1, "something else")));
  finish(batch);
  coordinator().plan_confirmation();
  EXPECT_THAT(found, ElementsAre(1, 1));
  CheckResult told = result();
  ASSERT_THAT(told.findings, SizeIs(2));
  EXPECT_EQ(told.findings[0].finding.run.seed, 0u);
  EXPECT_EQ(told.findings[0].finding.sentence, "it fell over");
  EXPECT_EQ(told.findings[0].finding.runs, 2u);
  EXPECT_EQ(told.findings[1].finding.sentence, "something else");
}

TEST_F(CheckCoordinatorTest, AFindingIsConfirmedByOneMoreRunOfItsSeed) {
  options_.keep_schedules = true;
  Batch batch = next();
  verifier::Finding found = crash(1);
  found.run.fault = 3;
  say(batch, finding_line(found));
  finish(batch);
  coordinator().plan_confirmation();
  Batch confirming = next();
  EXPECT_EQ(confirming.command.first, 1u);
  EXPECT_EQ(confirming.command.count, 1u);
  EXPECT_EQ(confirming.command.fault, 3u);
  EXPECT_TRUE(confirming.command.keep_schedule);
  EXPECT_TRUE(nothing_is_left());
  found.history = {"it was made"};
  say(confirming, finding_line(found));
  say(confirming, R"({"type":"schedule","seed":1,"text":"what was chosen"})");
  say(confirming, seed_line(1, true));
  end(confirming, kWorkerTainted, 1);
  EXPECT_TRUE(nothing_is_left());
  CheckResult told = result();
  ASSERT_THAT(told.findings, SizeIs(1));
  EXPECT_TRUE(told.findings[0].confirmed);
  EXPECT_EQ(told.findings[0].schedule, "what was chosen");
  EXPECT_THAT(told.findings[0].finding.history, ElementsAre("it was made"));
  EXPECT_EQ(told.scenarios[0].seeds_run, 2u) << "a run that confirms is not one of the seeds";
}

TEST_F(CheckCoordinatorTest, AnotherFindingConfirmsNothing) {
  Batch batch = next();
  say(batch, finding_line(crash(0)));
  finish(batch);
  coordinator().plan_confirmation();
  Batch confirming = next();
  say(confirming, finding_line(crash(0, "something else")));
  finish(confirming);
  CheckResult told = result();
  ASSERT_THAT(told.findings, SizeIs(1));
  EXPECT_FALSE(told.findings[0].confirmed);
}

TEST_F(CheckCoordinatorTest, AHangIsConfirmedByARunThatHangsAgain) {
  Batch batch = next();
  be_killed_for_time(batch, 1);
  coordinator().plan_confirmation();
  Batch confirming = next();
  be_killed_for_time(confirming, 1);
  EXPECT_TRUE(nothing_is_left());
  CheckResult told = result();
  ASSERT_THAT(told.findings, SizeIs(1));
  EXPECT_TRUE(told.findings[0].confirmed);
  EXPECT_EQ(told.scenarios[0].seeds_run, 1u) << "a run that confirms is not one of the seeds";
  EXPECT_EQ(told.scenarios[0].failing_seeds, 1u);
}

TEST_F(CheckCoordinatorTest, AFindingThatCannotBeReadIsIncomplete) {
  Batch batch = next();
  say(batch, R"({"type":"finding","seed":0,"finding":{"rule":17}})");
  EXPECT_THAT(result().incomplete, ElementsAre(HasSubstr("a worker's finding could not be read: ")));
}

TEST_F(CheckCoordinatorTest, ATraceThatCouldNotBeWrittenIsIncomplete) {
  Batch batch = next();
  say(batch, R"({"type":"trace","text":"/nowhere: no such file"})");
  EXPECT_THAT(result().incomplete, ElementsAre("/nowhere: no such file"));
}

TEST_F(CheckCoordinatorTest, FindingsStandInTheOrderOfScenarioAndSeedWhateverCameFirst) {
  options_.scenarios = {&kFirst, &kSecond};
  Batch first = next(), second = next();
  say(second, finding_line(finding_of(nt::Violation::Crash, "it fell over", "fake/second", 0)));
  finish(second);
  say(first, finding_line(finding_of(nt::Violation::Crash, "it fell over", "fake/first", 0)));
  say(first, finding_line(finding_of(nt::Violation::Crash, "and again", "fake/first", 0)));
  finish(first);
  CheckResult told = result();
  ASSERT_THAT(told.findings, SizeIs(2));
  EXPECT_EQ(told.findings[0].finding.sentence, "and again");
  EXPECT_EQ(told.findings[1].finding.run.scenario, "fake/first");
  EXPECT_THAT(told.findings[1].scenarios, ElementsAre("fake/first", "fake/second"));
}

// --- Outcomes ---

TEST_F(CheckCoordinatorTest, QuietSeedsPass) {
  Batch batch = next();
  finish(batch);
  EXPECT_EQ(result().scenarios[0].outcome, Outcome::Passed);
}

TEST_F(CheckCoordinatorTest, AScenarioIsAsItsSeedsSay) {
  options_.scenarios = {&kFirst, &kSecond};
  Batch first = next(), second = next();
  say(first, R"({"type":"seed","seed":0,"failing":false,"skipped":"no pin"})");
  say(first, R"({"type":"seed","seed":1,"failing":false,"skipped":"no filter"})");
  end(first, kWorkerDone, 1);
  say(second, R"({"type":"seed","seed":0,"failing":false,"incomplete":"the adapter never started"})");
  say(second, seed_line(1));
  end(second, kWorkerDone, 1);
  CheckResult told = result();
  EXPECT_EQ(told.scenarios[0].outcome, Outcome::Skipped);
  EXPECT_EQ(told.scenarios[0].reason, "no pin (in 2 of 2 seeds)");
  EXPECT_EQ(told.scenarios[1].outcome, Outcome::Incomplete);
  EXPECT_EQ(told.scenarios[1].reason, "the adapter never started (in 1 of 2 seeds)");
}

TEST_F(CheckCoordinatorTest, AnErrorIsFoundAndAWarningPasses) {
  options_.scenarios = {&kFirst, &kSecond};
  Batch first = next(), second = next();
  say(first, finding_line(crash(0)));
  say(first, seed_line(0, true));
  say(first, seed_line(1));
  end(first, kWorkerDone, 1);
  verifier::Finding warning = finding_of(nt::Violation::Crash, "it fell over", "fake/second", 0);
  warning.level = verifier::Level::Warning;
  say(second, finding_line(warning));
  finish(second);
  CheckResult told = result();
  EXPECT_EQ(told.scenarios[0].outcome, Outcome::Found);
  EXPECT_EQ(told.scenarios[1].outcome, Outcome::Passed);
}

TEST_F(CheckCoordinatorTest, ADeathWithoutAFindingIsIncomplete) {
  Batch batch = next();
  die(batch, 0);
  Batch rest = next();
  finish(rest);
  CheckResult told = result();
  EXPECT_EQ(told.scenarios[0].outcome, Outcome::Incomplete);
  EXPECT_EQ(told.scenarios[0].reason, "the process died with signal 9 (Killed) (in 1 of 2 seeds)");
}

TEST_F(CheckCoordinatorTest, OurFaultInARunThatConfirmsIsOursToo) {
  Batch batch = next();
  say(batch, finding_line(crash(0)));
  finish(batch);
  coordinator().plan_confirmation();
  Batch confirming = next();
  coordinator().worker_ended(confirming, {.code = kWorkerOurFault, .seed = 0});
  CheckResult told = result();
  EXPECT_EQ(told.scenarios[0].outcome, Outcome::OurFault);
  EXPECT_THAT(told.our_faults, ElementsAre("fake/first --seed 0"));
}

TEST_F(CheckCoordinatorTest, AHangThatTheClockSeesIsAsThePolicySays) {
  options_.policy = {{verifier::finding_for(nt::Violation::Hang).rule, verifier::Action::Off}};
  Batch batch = next();
  be_killed_for_time(batch, 0);
  Batch rest = next();
  finish(rest);
  CheckResult told = result();
  EXPECT_THAT(told.findings, IsEmpty());
  EXPECT_EQ(told.scenarios[0].failing_seeds, 0u);
  EXPECT_EQ(told.scenarios[0].outcome, Outcome::Incomplete);
  EXPECT_THAT(told.scenarios[0].reason, HasSubstr(" is off, and nothing can go on behind it (in 1 of 2 seeds)"));
}

// A scenario of the table, as whose seeds nothing is said.
class FloorOfACheckTest : public CheckCoordinatorTest {
 protected:
  FloorOfACheckTest() {
    auto at = std::ranges::find_if(all_floors(), [](const Floor& floor) { return floor.per_100 >= 1000; });
    floor_ = &*at;
    scenario_.name = floor_->scenario;
    options_.scenarios = {&scenario_};
    options_.seeds = 20;
  }
  void run_all() {
    while (auto batch = coordinator().next(Time::Left)) finish(*batch);
  }

  const Floor* floor_ = nullptr;
  Scenario scenario_{.name = "", .story = "", .run = never_run};
};

TEST_F(FloorOfACheckTest, SeedsThatDidTooLittleAreIncomplete) {
  run_all();
  CheckResult told = result();
  EXPECT_EQ(told.scenarios[0].outcome, Outcome::Incomplete);
  EXPECT_THAT(told.scenarios[0].reason, HasSubstr(" in 20 seeds; the reference driver has "));
}

TEST_F(FloorOfACheckTest, OneRunWithAFaultOrAScheduleIsNotJudged) {
  options_.run.fault = 1;
  run_all();
  EXPECT_EQ(result().scenarios[0].outcome, Outcome::Passed);
  made_.reset();
  options_.run.fault = 0;
  options_.run.replay.emplace();
  run_all();
  EXPECT_EQ(result().scenarios[0].outcome, Outcome::Passed);
}

// --- The order of seeds ---

class SeedOrderTest : public CheckCoordinatorTest {
 protected:
  SeedOrderTest() {
    options_.seeds = 300;
    options_.max_failing_seeds = 5;
  }
  static bool fails(uint64_t seed) { return seed % 30 == 7; }
  // As a worker does it: it ends when enough of its own seeds have failed.
  void run(Batch& batch) {
    uint32_t failing = 0;
    uint64_t seed = batch.command.first;
    for (; seed < batch.command.first + batch.command.count; ++seed) {
      if (fails(seed)) say(batch, finding_line(crash(seed)));
      say(batch, seed_line(seed, fails(seed)));
      failing += fails(seed);
      if (failing >= batch.command.max_failing) break;
    }
    end(batch, kWorkerDone, seed);
  }
  void expect_cut_at_the_fifth() {
    CheckResult told = result();
    EXPECT_EQ(told.scenarios[0].seeds_run, 128u);
    EXPECT_EQ(told.scenarios[0].failing_seeds, 5u);
    EXPECT_TRUE(told.scenarios[0].cut_short);
    ASSERT_THAT(told.findings, SizeIs(1));
    EXPECT_EQ(told.findings[0].finding.runs, 5u);
    EXPECT_EQ(told.findings[0].finding.run.seed, 7u);
  }
};

TEST_F(SeedOrderTest, OneWorkerIsCutAtTheSeedAtWhichEnoughHaveFailed) {
  while (auto batch = coordinator().next(Time::Left)) run(*batch);
  expect_cut_at_the_fifth();
}

TEST_F(SeedOrderTest, ManyWorkersThatEndInTheOppositeOrderAreCutThereToo) {
  std::vector<Batch> batches;
  while (auto batch = coordinator().next(Time::Left)) batches.push_back(*std::move(batch));
  EXPECT_THAT(batches, SizeIs(6));
  for (auto at = batches.rbegin(); at != batches.rend(); ++at) run(*at);
  expect_cut_at_the_fifth();
}

TEST_F(SeedOrderTest, ADeathBehindTheCutIsNotTold) {
  std::vector<Batch> batches;
  while (auto batch = coordinator().next(Time::Left)) batches.push_back(*std::move(batch));
  die(batches.back(), batches.back().command.first);
  batches.pop_back();
  for (Batch& batch : batches) run(batch);
  EXPECT_TRUE(nothing_is_left());
  CheckResult told = result();
  EXPECT_THAT(told.incomplete, IsEmpty());
  EXPECT_EQ(told.scenarios[0].failing_seeds, 5u);
}

// --- Time that is to be filled ---

TEST_F(CheckCoordinatorTest, TimeIsFilledWithFurtherSeedsOfEveryScenario) {
  options_.scenarios = {&kFirst, &kSecond};
  options_.time_limit_s = 60;
  options_.fill_time = true;
  std::map<uint32_t, uint64_t> seeds;  // by scenario
  for (int i = 0; i < 10; ++i) {
    Batch batch = next();
    EXPECT_EQ(batch.command.first, seeds[batch.command.scenario]) << "each seed once, in order";
    seeds[batch.command.scenario] += batch.command.count;
    finish(batch);
  }
  EXPECT_GT(seeds[0], options_.seeds);
  EXPECT_EQ(seeds[0], seeds[1]);
  EXPECT_FALSE(coordinator().next(Time::Over));
  coordinator().plan_confirmation();
  EXPECT_TRUE(nothing_is_left()) << "while findings are confirmed nothing is explored";
  CheckResult told = result();
  EXPECT_EQ(told.left_out, 0u);
  EXPECT_EQ(told.scenarios[0].seeds_run, seeds[0]);
  EXPECT_FALSE(told.scenarios[0].cut_short);
}

TEST_F(CheckCoordinatorTest, TimeIsNotFilledWhenEveryScenarioHasFailedEnough) {
  options_.fill_time = true;
  options_.max_failing_seeds = 1;
  Batch batch = next();
  say(batch, seed_line(0, true));
  end(batch, kWorkerDone, 0);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(CheckCoordinatorTest, WithoutFillingTheSeedsAreAsManyAsWereAskedFor) {
  options_.time_limit_s = 60;
  Batch batch = next();
  finish(batch);
  EXPECT_TRUE(nothing_is_left());
}

// --- An end that the user wants ---

TEST_F(CheckCoordinatorTest, AnInterruptionKeepsWhatWasFoundAndCountsTheRest) {
  options_.seeds = 100;
  Batch taste = next();
  say(taste, finding_line(crash(0)));
  finish(taste);
  Batch batch = next();
  say(batch, seed_line(2));
  say(batch, seed_line(3));
  coordinator().interrupt({&batch});
  EXPECT_TRUE(nothing_is_left());
  coordinator().plan_confirmation();
  EXPECT_TRUE(nothing_is_left()) << "nothing is confirmed";
  CheckResult told = result();
  EXPECT_TRUE(told.interrupted);
  EXPECT_THAT(told.findings, SizeIs(1));
  EXPECT_EQ(told.scenarios[0].seeds_run, 4u);
  EXPECT_EQ(told.left_out, 96u);
}

// --- What ends a check ---

TEST_F(CheckCoordinatorTest, AnUnusableDriverEndsTheCheck) {
  options_.seeds = 200;
  Batch batch = next();
  say(batch, R"({"type":"error","text":"fake.so: is no driver"})");
  coordinator().zygote_died(batch, std::nullopt);
  EXPECT_TRUE(coordinator().fatal());
  EXPECT_TRUE(nothing_is_left());
  coordinator().give_up();
  CheckResult told = result();
  EXPECT_EQ(told.usage_error, "fake.so: is no driver");
  EXPECT_THAT(told.incomplete, IsEmpty());
}

TEST_F(CheckCoordinatorTest, ADivergenceEndsTheCheckAndNothingIsConfirmed) {
  Batch batch = next();
  say(batch, finding_line(crash(0)));
  say(batch, R"({"type":"diverged","text":"decision 3"})");
  finish(batch);
  coordinator().plan_confirmation();
  EXPECT_TRUE(nothing_is_left());
  EXPECT_EQ(result().divergence, "decision 3");
}

// --- Sweeps of faults ---

class FaultSweepTest : public CheckCoordinatorTest {
 protected:
  FaultSweepTest() {
    options_.scenarios = {&kFirst, &kSecond};
    options_.sweep_faults = true;
    options_.first_seed = 40;
  }
  Batch sweep() {
    Batch batch;
    do {
      batch = next();
    } while (!batch.command.sweep && batch.command.count);
    return batch;
  }
};

TEST_F(FaultSweepTest, OnlyScenariosThatBearFaultsAreSwept) {
  Batch batch = sweep();
  EXPECT_EQ(batch.command.scenario, 1u);
  EXPECT_EQ(batch.command.first, 0u);
  EXPECT_EQ(batch.command.seed, 40u);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(FaultSweepTest, ASeedThatStopsByItselfGivesWayToTheNext) {
  Batch batch = sweep();
  say(batch, R"({"type":"stopped"})");
  end(batch, kWorkerTainted, 0);
  Batch another = next();
  EXPECT_TRUE(another.command.sweep);
  EXPECT_EQ(another.command.seed, 41u);
  EXPECT_EQ(another.command.first, 0u);
  die(another, 5);
  Batch rest = next();
  EXPECT_EQ(rest.command.seed, 41u);
  EXPECT_EQ(rest.command.first, 6u);
  EXPECT_THAT(result().incomplete, ElementsAre(HasSubstr("fake/second --seed 41 --fault 5: ")));
}

TEST_F(FaultSweepTest, WhereEverySeedStopsTheFirstIsSweptAsFarAsItComes) {
  options_.seeds = 2;
  Batch batch = sweep();
  for (uint64_t seed = 40; seed < 42; ++seed) {
    EXPECT_EQ(batch.command.seed, seed);
    say(batch, R"({"type":"stopped"})");
    end(batch, kWorkerDone, 0);
    batch = next();
  }
  EXPECT_EQ(batch.command.seed, 40u);
  EXPECT_EQ(batch.command.first, 1u);
  EXPECT_TRUE(nothing_is_left());
  EXPECT_THAT(result().incomplete, ElementsAre(HasSubstr("fake/second: every seed stops at a finding")));
}

TEST_F(FaultSweepTest, PlacesThatWereNeverMadeToFailAreUntried) {
  Batch batch = sweep();
  say(batch, R"({"type":"fault","places":[10,20,30],"place":10})");
  say(batch, R"({"type":"fault","places":[40],"place":20})");
  say(batch, R"({"type":"fault","places":[]})");
  end(batch, kWorkerDone, 3);
  coordinator().plan_confirmation();
  CheckResult told = result();
  ASSERT_TRUE(told.faults);
  EXPECT_EQ(told.faults->injected, 2u);
  EXPECT_EQ(told.faults->untried, 2u);
}

TEST_F(FaultSweepTest, AfterADeathItGoesOnWithTheNextFault) {
  Batch batch = sweep();
  die(batch, 5);
  Batch rest = next();
  EXPECT_TRUE(rest.command.sweep);
  EXPECT_EQ(rest.command.first, 6u);
  CheckResult told = result();
  EXPECT_THAT(told.incomplete, ElementsAre(HasSubstr("fake/second --seed 40 --fault 5: ")));
  EXPECT_EQ(told.scenarios[1].seeds_run, 0u) << "a run of a sweep is not one of the seeds";
}

TEST_F(FaultSweepTest, AHangIsAFindingOfTheFaultThatLedToIt) {
  Batch batch = sweep();
  be_killed_for_time(batch, 5);
  coordinator().plan_confirmation();
  CheckResult told = result();
  ASSERT_THAT(told.findings, SizeIs(1));
  EXPECT_EQ(told.findings[0].finding.run.seed, 40u);
  EXPECT_EQ(told.findings[0].finding.run.fault, 5u);
}

TEST_F(FaultSweepTest, OutOfTimeASweepIsLeftOutAsOne) {
  options_.time_limit_s = 1;
  EXPECT_FALSE(coordinator().next(Time::Over));
  coordinator().plan_confirmation();
  EXPECT_EQ(result().left_out, 5u);
}

}  // namespace
}  // namespace host
