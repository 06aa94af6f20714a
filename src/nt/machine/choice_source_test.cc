#include "nt/machine/choice_source.h"

#include <gtest/gtest.h>

#include <set>

namespace nt {
namespace {

uint32_t pick(ChoiceSource& choices, uint32_t count, uint32_t current) {
  return choices.pick(count, current, [](uint32_t i) { return i; });
}

// Makes a fixed sequence of choices and lists them.
std::vector<uint64_t> ask(ChoiceSource& choices) {
  std::vector<uint64_t> answers;
  for (uint32_t i = 1; i < 50; ++i) {
    answers.push_back(pick(choices, i, i / 2));
    answers.push_back(choices.fuel());
    answers.push_back(choices.choose(i));
  }
  return answers;
}

TEST(ChoiceSourceTest, TheSeedSelectsThePolicy) {
  EXPECT_EQ(policy_for_seed(0), PolicyKind::RoundRobin);
  std::set<PolicyKind> seen;
  for (uint64_t seed = 1; seed < 10; ++seed) seen.insert(policy_for_seed(seed));
  EXPECT_EQ(seen, (std::set<PolicyKind>{PolicyKind::Random, PolicyKind::Pct}));
  EXPECT_STREQ(to_string(PolicyKind::Pct), "pct");
}

TEST(ChoiceSourceTest, TheSeedDecides) {
  ChoiceSource one(7, PolicyKind::Random), same(7, PolicyKind::Random), other(8, PolicyKind::Random);
  std::vector<uint64_t> answers = ask(one);
  EXPECT_EQ(answers, ask(same));
  EXPECT_NE(answers, ask(other));
}

TEST(ChoiceSourceTest, RoundRobinTakesTheNextOne) {
  ChoiceSource choices(0, PolicyKind::RoundRobin);
  EXPECT_EQ(pick(choices, 3, 0), 1u);
  EXPECT_EQ(pick(choices, 3, 1), 2u);
  EXPECT_EQ(pick(choices, 3, 2), 0u);
  EXPECT_EQ(pick(choices, 3, 3), 0u);  // the one that ran is not among them
  EXPECT_EQ(choices.fuel(), choices.fuel());
}

TEST(ChoiceSourceTest, RandomPicksEveryTask) {
  ChoiceSource choices(1, PolicyKind::Random);
  std::set<uint32_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(pick(choices, 5, 0));
  EXPECT_EQ(seen.size(), 5u);
}

TEST(ChoiceSourceTest, PctTakesTheHighestPriority) {
  ChoiceSource choices(2, PolicyKind::Pct);
  uint64_t priorities[] = {5, 9, 9, 1};
  EXPECT_EQ(choices.pick(4, 0, [&](uint32_t i) { return priorities[i]; }), 1u);
  uint64_t fresh = choices.new_priority(), lowest = choices.lowest_priority();
  EXPECT_LT(lowest, fresh);
  EXPECT_LT(choices.lowest_priority(), lowest);
}

TEST(ChoiceSourceTest, PctChangesPrioritiesAFewTimesLessAndLess) {
  ChoiceSource choices(2, PolicyKind::Pct);
  int early = 0, late = 0;
  for (int i = 0; i < 10'000; ++i) early += choices.change_point();
  for (int i = 0; i < 10'000; ++i) late += choices.change_point();
  EXPECT_GE(early, 2);
  EXPECT_LT(late, early);
  ChoiceSource random(2, PolicyKind::Random);
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(random.change_point());
}

TEST(ChoiceSourceTest, FuelIsPositiveAndBounded) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ChoiceSource choices(seed, policy_for_seed(seed));
    for (int i = 0; i < 20; ++i) {
      uint32_t fuel = choices.fuel();
      ASSERT_GE(fuel, 1u) << "seed " << seed;
      ASSERT_LE(fuel, 1u << 16) << "seed " << seed;
    }
  }
}

TEST(ChoiceSourceTest, PlaysBackWhatItRecorded) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Schedule schedule;
    ChoiceSource recorded(seed, policy_for_seed(seed));
    recorded.record(schedule);
    std::vector<uint64_t> answers = ask(recorded);
    ChoiceSource played(seed + 1, PolicyKind::Random);  // neither its seed nor its policy matters
    played.replay(schedule);
    EXPECT_EQ(ask(played), answers);
    played.finished();
    EXPECT_FALSE(played.divergence());
  }
}

TEST(ChoiceSourceTest, ARecordOfAReplayIsTheSame) {
  Schedule first, second;
  ChoiceSource recorded(4, PolicyKind::Random);
  recorded.record(first);
  ask(recorded);
  ChoiceSource played(0, PolicyKind::RoundRobin);
  played.replay(first);
  played.record(second);
  ask(played);
  EXPECT_EQ(second.entries, first.entries);
}

TEST(ChoiceSourceTest, SaysWhereItDiverged) {
  Schedule schedule;
  schedule.entries = {{Decision::Pick, 3, 1}, {Decision::Choice, 4, 2}};
  auto divergence = [&](auto&& questions) {
    ChoiceSource choices(0, PolicyKind::Random);
    choices.replay(schedule);
    questions(choices);
    choices.finished();
    return choices.divergence() ? choices.divergence()->what : "";
  };
  EXPECT_EQ(divergence([](ChoiceSource& c) { pick(c, 2, 0); }),
            "decision 0 of the schedule answers which task goes on among 3, but the program asks which task goes on "
            "among 2");
  EXPECT_EQ(divergence([](ChoiceSource& c) { pick(c, 3, 0), c.fuel(); }),
            "decision 1 of the schedule answers a choice among 4, but the program asks how long the driver runs among "
            "65536");
  EXPECT_EQ(divergence([](ChoiceSource& c) { pick(c, 3, 0), c.choose(4), c.choose(4); }),
            "the schedule ends at decision 2 but the program still asks a choice");
  EXPECT_EQ(divergence([](ChoiceSource& c) { pick(c, 3, 0); }),
            "the program ended at decision 1 but the schedule has 2");
  EXPECT_EQ(divergence([](ChoiceSource& c) { pick(c, 3, 0), c.choose(4); }), "");
}

}  // namespace
}  // namespace nt
