#include "verifier/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verifier/finding_json.h"
#include "verifier/testing.h"

namespace verifier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Finding named_sample() {
  Finding finding = sample_finding();
  FakeNames names;
  symbolize(finding, names);
  return finding;
}

Finding leak() {
  Finding finding = named_sample();
  finding.rule = "NT-LEAK-01";
  finding.sentence = "a pool block obtained in driver mill was never given back";
  finding.in_call = "";
  finding.irql = 0;
  finding.stacks = {{"obtained", {frame_at("mill.so", 0x2100, true), frame_at("drydock", 0x300, false)}}};
  FakeNames names;
  symbolize(finding, names);
  finding.run.seed = 0;
  finding.runs = 64;
  finding.times = 128;
  return finding;
}

Report sample_report() {
  Report report;
  report.tool_version = "0.1.0";
  report.driver = "build/mill.so";
  report.scenarios = {"load"};
  report.runs = 64;
  report.findings = {leak(), named_sample()};
  report.findings[1].runs = report.findings[1].times = 3;
  return report;
}

std::vector<std::string> rules_of(const std::vector<Finding>& findings) {
  std::vector<std::string> rules;
  for (const Finding& finding : findings) rules.push_back(finding.rule);
  return rules;
}

TEST(TextReport, Golden) {
  EXPECT_EQ(text_report(sample_report(), Colour::No),
            R"(error NT-IRQL-03: wait at DISPATCH_LEVEL or above (must)
  KeWaitForSingleObject at DISPATCH_LEVEL may block
  in DpcRoutine, thread 'main' (1), at DISPATCH_LEVEL
  here:
    #0 KeWaitForSingleObject
    #1 wait_for_it (inlined) at src/mill.c:31
    #2 on_dpc at src/mill.c:52
    #3 mill.so+0x2000
  seen in 3 of 64 seeds, first with --seed 7
  replay: drydock check build/mill.so --scenario load --seed 7
  more: drydock explain NT-IRQL-03

error NT-LEAK-01: something obtained was never given back (must)
  a pool block obtained in driver mill was never given back
  thread 'main' (1), at PASSIVE_LEVEL
  obtained:
    #0 DriverEntry in mill.so
  seen in 64 of 64 seeds, first with --seed 0 (128 times in all)
  replay: drydock check build/mill.so --scenario load --seed 0
  more: drydock explain NT-LEAK-01

build/mill.so: 2 errors, 0 warnings in 64 runs of 1 scenario
)");
}

TEST(TextReport, NothingFound) {
  Report report = sample_report();
  report.findings.clear();
  EXPECT_EQ(text_report(report, Colour::No), "build/mill.so: 0 errors, 0 warnings in 64 runs of 1 scenario\n");
}

TEST(TextReport, ColourOnlyWhenTold) {
  EXPECT_THAT(text_report(sample_report(), Colour::No), Not(HasSubstr("\033")));
  EXPECT_THAT(text_report(sample_report(), Colour::Yes), HasSubstr("\033[1;31merror NT-IRQL-03\033[0m"));
}

TEST(TextReport, SaysWhatElseARunNeeds) {
  Finding finding = named_sample();
  finding.run.schedule = "mill.schedule";
  finding.run.processors = 4;
  std::string text = text_finding(finding, 1, Colour::No);
  EXPECT_THAT(text, HasSubstr("--seed 7 --processors 4\n"));
  EXPECT_THAT(text, HasSubstr("  schedule: mill.schedule\n"));
  EXPECT_THAT(text, HasSubstr("seen in 1 of 1 seed,"));
}

TEST(TextReport, AStackWithoutTheDriverSaysSo) {
  Finding finding = named_sample();
  finding.stacks = {{"waits", {frame_at("drydock", 0x300, false)}}};
  EXPECT_THAT(text_finding(finding, 1, Colour::No), HasSubstr("  waits:\n    (no code of the driver)\n"));
}

TEST(ReplayCommand, QuotesWhatAShellWouldSplit) {
  RunContext run = sample_finding().run;
  run.driver = "my drivers/it's.so";
  EXPECT_EQ(replay_command(run), "drydock check 'my drivers/it'\\''s.so' --scenario load --seed 7");
}

TEST(DriverView, KeepsWhatTheDriverCalledAndNothingElseOfTheHost) {
  Finding finding = sample_finding();
  finding.stacks[0].frames = {frame_at("drydock", 0x300, false), frame_at("drydock", 0x100, false),
                              frame_at("mill.so", 0x1000, true),  // called the above
                              frame_at("drydock", 0x300, false), frame_at("drydock", 0x200, false),
                              frame_at("mill.so", 0x1100, true),  // was interrupted at an edge
                              frame_at("drydock", 0x300, false)};
  FakeNames names;
  symbolize(finding, names);
  std::vector<std::string> seen;
  for (const Frame& frame : driver_view(finding.stacks[0].frames))
    seen.push_back(frame.driver ? "driver" : frame.function);
  EXPECT_THAT(seen, ElementsAre("KeWaitForSingleObject", "driver", "driver"));
}

TEST(SortWorstFirst, StopsBeforeLeaksBeforeWarnings) {
  Finding warning = named_sample();
  warning.level = Level::Warning;
  warning.rule = "NT-CRASH-01";
  Finding policy = named_sample();
  policy.rule = "NT-STUCK-02";
  std::vector<Finding> findings{warning, leak(), policy, named_sample()};
  sort_worst_first(findings);
  EXPECT_THAT(rules_of(findings), ElementsAre("NT-IRQL-03", "NT-STUCK-02", "NT-LEAK-01", "NT-CRASH-01"));
}

TEST(SortWorstFirst, EqualRanksGoBySeed) {
  Finding later = named_sample();
  later.run.seed = 8;
  std::vector<Finding> findings{later, named_sample()};
  sort_worst_first(findings);
  EXPECT_EQ(findings[0].run.seed, 7u);
}

TEST(JsonReport, HoldsTheWholeCheck) {
  auto json = nlohmann::ordered_json::parse(json_report(sample_report()));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["tool"]["name"], "drydock");
  EXPECT_EQ(json["tool"]["version"], "0.1.0");
  EXPECT_EQ(json["driver"], "build/mill.so");
  EXPECT_EQ(json["scenarios"], nlohmann::ordered_json::array({"load"}));
  EXPECT_EQ(json["counts"]["runs"], 64);
  EXPECT_EQ(json["counts"]["errors"], 2);
  EXPECT_EQ(json["counts"]["warnings"], 0);
  ASSERT_EQ(json["findings"].size(), 2u);
  std::string error;
  std::optional<Finding> worst = from_json_value(json["findings"][0], &error);
  ASSERT_TRUE(worst) << error;
  EXPECT_EQ(*worst, sample_report().findings[1]);
}

}  // namespace
}  // namespace verifier
