#include "host/run/floors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "host/run/scenario.h"

namespace host {
namespace {

using ::testing::IsEmpty;

constexpr Floor kFrames{"fake/one", "fake", &verifier::Activity::frames, 2400};

verifier::Activity frames(uint64_t count) {
  verifier::Activity done;
  done.frames = count;
  done.ddi_calls = 1'000'000;  // does not count
  return done;
}

TEST(Floors, EveryScenarioHasOneRowAndNoOtherHasOne) {
  std::set<std::string> floors, scenarios;
  for (const Floor& floor : all_floors()) EXPECT_TRUE(floors.insert(floor.scenario).second) << floor.scenario;
  for (const Scenario& scenario : all_scenarios()) scenarios.insert(scenario.name);
  EXPECT_EQ(floors, scenarios);
}

TEST(Floors, AreFoundByTheirScenario) {
  for (const Floor& floor : all_floors()) EXPECT_EQ(find_floor(floor.scenario), &floor);
  EXPECT_EQ(find_floor("no/such"), nullptr);
}

TEST(Floors, LessThanAQuarterIsTooLittle) {
  EXPECT_EQ(below_floor(kFrames, frames(12), 50),
            "12 frames in 50 seeds; the reference driver has 1200, and at least 300 are expected");
  EXPECT_NE(below_floor(kFrames, frames(299), 50), "");
  EXPECT_THAT(below_floor(kFrames, frames(300), 50), IsEmpty());
}

TEST(Floors, FewSeedsAreBelowItOnlyWithNothingAtAll) {
  EXPECT_THAT(below_floor(kFrames, frames(1), 7), IsEmpty());
  EXPECT_NE(below_floor(kFrames, frames(1), 8), "");
  EXPECT_EQ(below_floor(kFrames, frames(0), 1),
            "0 frames in 1 seed; the reference driver has 24, and at least 1 is expected");
}

TEST(Floors, AQuietSeedOfAQuietScenarioIsNotBelowIt) {
  constexpr Floor kQuiet{"fake/one", "fake", &verifier::Activity::frames, 99};
  EXPECT_THAT(below_floor(kQuiet, frames(0), 7), IsEmpty());
  EXPECT_NE(below_floor(kQuiet, frames(0), 8), "");
}

TEST(Floors, WithoutSeedsOrExpectationsNothingIsTooLittle) {
  constexpr Floor kNothing{"fake/one", "fake", &verifier::Activity::frames, 0};
  EXPECT_THAT(below_floor(kNothing, frames(0), 1000), IsEmpty());
  EXPECT_THAT(below_floor(kFrames, frames(0), 0), IsEmpty());
}

}  // namespace
}  // namespace host
