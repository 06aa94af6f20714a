#include "host/check/scenario_tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/check/batch.h"

namespace host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ScenarioTallyTest : public ::testing::Test {
 protected:
  std::vector<uint64_t> counted() {
    std::vector<uint64_t> seeds;
    while (auto next = tally_.count_next()) seeds.push_back(next->first);
    return seeds;
  }
  void add(std::initializer_list<uint64_t> seeds, const SeedRecord& record = {}) {
    for (uint64_t seed : seeds) tally_.add(seed, record);
  }
  const ScenarioResult& result() { return tally_.result(); }

  static constexpr uint64_t kFirst = 10;
  ScenarioTally tally_{"fake/one", kFirst, 3};
};

TEST_F(ScenarioTallyTest, ASeedWaitsForThoseBeforeIt) {
  add({12, 11});
  EXPECT_THAT(counted(), IsEmpty());
  EXPECT_EQ(result().seeds_run, 0u);
  add({10});
  EXPECT_THAT(counted(), ElementsAre(10, 11, 12));
  EXPECT_EQ(result().seeds_run, 3u);
  EXPECT_EQ(tally_.next_seed(), 13u);
}

TEST_F(ScenarioTallyTest, WhenNoMoreComeThoseThatWaitAreCounted) {
  add({15, 12});
  tally_.close();
  EXPECT_THAT(counted(), ElementsAre(12, 15));
  EXPECT_EQ(result().seeds_run, 2u);
}

TEST_F(ScenarioTallyTest, BehindTheSeedAtWhichEnoughHaveFailedNothingCounts) {
  add({14, 13, 12, 11}, {.failing = true});
  add({10});
  EXPECT_THAT(counted(), ElementsAre(10, 11, 12, 13));
  EXPECT_TRUE(tally_.has_failed_enough());
  EXPECT_EQ(result().failing_seeds, 3u);
  add({14});
  tally_.close();
  EXPECT_THAT(counted(), IsEmpty());
  EXPECT_EQ(result().seeds_run, 4u);
}

TEST_F(ScenarioTallyTest, FailuresThatWaitAreNotSpent) {
  add({11, 12, 13}, {.failing = true});
  counted();
  EXPECT_EQ(tally_.failures_left(), 3u);
  add({10}, {.failing = true});
  counted();
  EXPECT_EQ(tally_.failures_left(), 0u);
}

TEST_F(ScenarioTallyTest, AHangingSeedIsManyFailingOnes) {
  ScenarioTally tally("fake/one", 0, kHangingSeed + 2);
  tally.add(0, {.failing = true, .hung = true});
  tally.count_next();
  EXPECT_EQ(tally.failures_left(), 1u);
}

TEST_F(ScenarioTallyTest, ASeedIsCountedOnce) {
  add({10}, {.failing = true});
  counted();
  add({10}, {.failing = true});
  tally_.close();
  EXPECT_THAT(counted(), IsEmpty());
  EXPECT_EQ(result().failing_seeds, 1u);
}

TEST_F(ScenarioTallyTest, TheReasonIsThatOfTheLowestSeed) {
  add({12}, {.skipped = "later", .incomplete = "later"});
  add({11}, {.skipped = "first", .incomplete = "first"});
  add({10});
  counted();
  EXPECT_EQ(result().skipped_seeds, 2u);
  EXPECT_EQ(result().skipped_why, "first");
  EXPECT_EQ(result().incomplete_seeds, 2u);
  EXPECT_EQ(result().incomplete_why, "first");
}

TEST_F(ScenarioTallyTest, WorkIsWhatSeedsDidThatNeitherFailedNorWereSkipped) {
  SeedRecord record;
  record.activity.frames = 5;
  add({10}, record);
  record.failing = true;
  add({11}, record);
  record.failing = false;
  record.skipped = "no pin";
  add({12}, record);
  counted();
  EXPECT_EQ(result().activity.frames, 15u);
  EXPECT_EQ(result().work.frames, 5u);
  EXPECT_EQ(result().working_seeds, 1u);
}

TEST_F(ScenarioTallyTest, SentencesAboutDeathsAreKeptInTheOrderOfSeeds) {
  add({11}, {.failing = true, .death = "seed 11 died"});
  add({12}, {.failing = true, .our_fault = "seed 12"});
  add({10}, {.failing = true, .death = "seed 10 died"});
  add({13}, {.failing = true, .death = "behind the cut"});
  counted();
  EXPECT_THAT(tally_.deaths(), ElementsAre("seed 10 died", "seed 11 died"));
  EXPECT_THAT(tally_.our_faults(), ElementsAre("seed 12"));
  EXPECT_TRUE(result().our_fault);
}

}  // namespace
}  // namespace host
