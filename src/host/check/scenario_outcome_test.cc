#include "host/check/scenario_outcome.h"

#include <gtest/gtest.h>

namespace host {
namespace {

using verifier::Outcome;

// Fifty seeds that did what they are for.
ScenarioResult passed() {
  ScenarioResult scenario;
  scenario.seeds_run = scenario.working_seeds = 50;
  return scenario;
}

ScenarioResult judged(ScenarioResult scenario) {
  judge(scenario);
  return scenario;
}

TEST(ScenarioOutcome, WarningsLeaveItPassed) {
  ScenarioResult scenario = passed();
  scenario.warned_seeds = 50;
  EXPECT_EQ(judged(scenario).outcome, Outcome::Passed);
  EXPECT_EQ(judged(scenario).reason, "");
}

TEST(ScenarioOutcome, ItIsSkippedWhenEverySeedWas) {
  ScenarioResult scenario = passed();
  scenario.skipped_seeds = 49;
  scenario.skipped_why = "the driver has no pin";
  scenario.working_seeds = 1;
  EXPECT_EQ(judged(scenario).outcome, Outcome::Passed);
  scenario.skipped_seeds = 50;
  scenario.working_seeds = 0;
  EXPECT_EQ(judged(scenario).outcome, Outcome::Skipped);
  EXPECT_EQ(judged(scenario).reason, "the driver has no pin (in 50 of 50 seeds)");
}

TEST(ScenarioOutcome, OneSeedThatCouldNotTryMakesItIncomplete) {
  ScenarioResult scenario = passed();
  scenario.skipped_seeds = 49;
  scenario.working_seeds = 0;
  scenario.incomplete_seeds = 1;
  scenario.incomplete_why = "the adapter never started";
  EXPECT_EQ(judged(scenario).outcome, Outcome::Incomplete);
  EXPECT_EQ(judged(scenario).reason, "the adapter never started (in 1 of 50 seeds)");
}

TEST(ScenarioOutcome, WithoutASeedItIsIncomplete) {
  EXPECT_EQ(judged({}).outcome, Outcome::Incomplete);
  EXPECT_EQ(judged({}).reason, "no seed was run");
}

TEST(ScenarioOutcome, BelowItsFloorItIsIncomplete) {
  ScenarioResult scenario = passed();
  scenario.too_little = "1 frame in 50 seeds";
  EXPECT_EQ(judged(scenario).outcome, Outcome::Incomplete);
  EXPECT_EQ(judged(scenario).reason, "1 frame in 50 seeds");
}

TEST(ScenarioOutcome, WhereEverySeedCameToNothingItIsIncomplete) {
  ScenarioResult scenario = passed();
  scenario.idle_seeds = scenario.working_seeds - 1;
  scenario.idle_why = "every request was refused";
  EXPECT_EQ(judged(scenario).outcome, Outcome::Passed);
  ++scenario.idle_seeds;
  EXPECT_EQ(judged(scenario).outcome, Outcome::Incomplete);
  EXPECT_EQ(judged(scenario).reason, "every request was refused in every seed");
}

TEST(ScenarioOutcome, AnErrorOutranksWhatWasNotTriedAndOurFaultAll) {
  ScenarioResult scenario = passed();
  scenario.incomplete_seeds = 1;
  scenario.incomplete_why = "the adapter never started";
  scenario.errors = true;
  EXPECT_EQ(judged(scenario).outcome, Outcome::Found);
  EXPECT_EQ(judged(scenario).reason, "");
  scenario.our_fault = true;
  EXPECT_EQ(judged(scenario).outcome, Outcome::OurFault);
}

}  // namespace
}  // namespace host
