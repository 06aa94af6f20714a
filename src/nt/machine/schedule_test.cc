#include "nt/machine/schedule.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace nt {
namespace {

Schedule::Header sample_header() {
  return {.driver = "mill.so",
          .build_id = "00ff",
          .scenario = "start stop",
          .seed = 18446744073709551615u,
          .processors = 3};
}

std::string error_of(std::string_view text) {
  auto read = Schedule::from_text(text);
  EXPECT_FALSE(read.ok()) << text;
  return read.ok() ? "" : read.error();
}

TEST(ScheduleTest, ReadsAsDocumented) {
  Schedule schedule;
  schedule.header = sample_header();
  schedule.entries = {{Decision::Pick, 3, 1}, {Decision::Fuel, 512, 40}, {Decision::Choice, 10, 4}};
  schedule.entries.insert(schedule.entries.end(), 17, {Decision::Pick, 2, 0});
  EXPECT_EQ(schedule.to_text(),
            "drydock schedule 1\n"
            "driver: mill.so\n"
            "build-id: 00ff\n"
            "scenario: start stop\n"
            "seed: 18446744073709551615\n"
            "processors: 3\n"
            "\n"
            "p 3 1\n"
            "f 512 40\n"
            "c 10 4\n"
            "p 2 0 x17\n");
}

TEST(ScheduleTest, TheTextHasHangEdgesOnlyIfTheyAreNotTheDefault) {
  Schedule schedule;
  schedule.header = sample_header();
  schedule.header.hang_edges = 2'000'000;
  EXPECT_NE(schedule.to_text().find("processors: 3\nhang-edges: 2000000\n\n"), std::string::npos);
  auto read = Schedule::from_text(schedule.to_text());
  ASSERT_TRUE(read.ok()) << read.error();
  EXPECT_EQ(read.value().header, schedule.header);
  EXPECT_NE(error_of("drydock schedule 1\nhang-edges: many\n\n"), "");
}

TEST(ScheduleTest, ComesBackFromItsText) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Rng rng(seed);
    Schedule schedule;
    if (rng.below(4)) schedule.header = sample_header();
    for (uint64_t i = rng.below(300); i-- > 0;) {
      uint64_t bound = 1 + rng.below(rng.below(4) ? 4 : ~uint64_t{0});
      schedule.entries.push_back({static_cast<Decision>(rng.below(3)), bound, rng.below(bound)});
    }
    auto again = Schedule::from_text(schedule.to_text());
    ASSERT_TRUE(again.ok()) << again.error();
    EXPECT_EQ(again.value().header, schedule.header);
    EXPECT_EQ(again.value().entries, schedule.entries);
  }
}

TEST(ScheduleTest, AnErrorNamesTheLine) {
  EXPECT_EQ(error_of(""), "not a schedule: the first line is not 'drydock schedule 1'");
  EXPECT_EQ(error_of("drydock schedule 2\n"), "not a schedule: the first line is not 'drydock schedule 1'");
  EXPECT_EQ(error_of("drydock schedule 1\nseed: 1\ncolour: red\n"), "line 3: not a header line: 'colour: red'");
  EXPECT_EQ(error_of("drydock schedule 1\nseed: -1\n"), "line 2: not a header line: 'seed: -1'");
  EXPECT_EQ(error_of("drydock schedule 1\nseed: 1\n\np 2 0\nq 2 0\n"), "line 5: not a decision: 'q 2 0'");
}

TEST(ScheduleTest, RefusesDecisionsThatCannotBe) {
  const std::string head = "drydock schedule 1\n\n";
  for (const char* line : {"p 2 2", "p 2", "p", "", "p x 1", "p 2 1 y3", "p 2 1 x0", "p 2 1 x", "p 2 1 x100000001",
                           "c 18446744073709551616 1", "pp 2 1"}) {
    EXPECT_EQ(error_of(head + line + "\n"), "line 3: not a decision: '" + std::string(line) + "'");
  }
}

TEST(ScheduleTest, NumbersHaveSixtyFourBits) {
  Schedule schedule;
  schedule.entries = {{Decision::Choice, 8'388'608'000, 8'000'000'000}, {Decision::Choice, ~uint64_t{0}, 1}};
  EXPECT_TRUE(schedule.to_text().ends_with("\nc 8388608000 8000000000\nc 18446744073709551615 1\n"))
      << schedule.to_text();
  auto again = Schedule::from_text(schedule.to_text());
  ASSERT_TRUE(again.ok()) << again.error();
  EXPECT_EQ(again.value().entries, schedule.entries);
}

TEST(ScheduleTest, NeedsNoFinalNewline) {
  auto schedule = Schedule::from_text("drydock schedule 1\n\np 2 1");
  ASSERT_TRUE(schedule.ok()) << schedule.error();
  EXPECT_EQ(schedule.value().entries, (std::vector<Schedule::Entry>{{Decision::Pick, 2, 1}}));
}

}  // namespace
}  // namespace nt
