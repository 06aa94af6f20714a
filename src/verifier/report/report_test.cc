#include "verifier/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verifier/testing/report_testing.h"

namespace verifier {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> rules_of(const std::vector<Finding>& findings) {
  std::vector<std::string> rules;
  for (const Finding& finding : findings) rules.push_back(finding.rule);
  return rules;
}

TEST(TextReport, Golden) {
  EXPECT_EQ(text_report(sample_report(), Colour::No),
            R"(build/mill.so
  load                         64 seeds  found: errors in 64 of 64 seeds

error NT-IRQL-03: wait at DISPATCH_LEVEL or above (must)
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

build/mill.so: 2 errors, 0 warnings in 64 runs of 1 scenario: 1 found
)");
}

TEST(TextReport, NothingFound) {
  Report report = sample_report();
  report.drivers[0].findings.clear();
  report.drivers[0].scenarios[0] = {.name = "load", .seeds = 64};
  EXPECT_EQ(text_report(report, Colour::No), R"(build/mill.so
  load                         64 seeds  passed

build/mill.so: 0 errors, 0 warnings in 64 runs of 1 scenario: 1 passed
)");
}

TEST(TextReport, SaysWhatRanAndWhatCouldNot) {
  std::string text = text_report(full_report(), Colour::No);
  EXPECT_THAT(text, HasSubstr("build/mill.so (driver)\n"));
  EXPECT_THAT(text, HasSubstr("my gpu.so (kernel-mode display driver, WDDM 2.0)\n"));
  EXPECT_THAT(text, HasSubstr("  vidmm/pressure               40 seeds       1234 DDI calls      300 ms  passed\n"));
  EXPECT_THAT(text, HasSubstr("could not run: nt/power: the driver has no <power> routine\n"));
  EXPECT_THAT(text, HasSubstr("faults: 17 injected, 2 places left untried\n"));
  EXPECT_THAT(text, HasSubstr("build/mill.so: 2 errors, 0 warnings in 64 runs of 1 scenario: 1 found\n"));
  EXPECT_THAT(text, HasSubstr("my gpu.so: 0 errors, 0 warnings in 80 runs of 2 scenarios: 2 passed\n"));
}

TEST(TextReport, SaysWhatElseAFindingCarries) {
  std::string text = text_finding(full_report().drivers[0].findings[1], 1, Colour::No);
  EXPECT_THAT(text, HasSubstr("  call: DpcRoutine(Dpc = 1, Context = \"<none>\")\n"));
  EXPECT_THAT(text,
              HasSubstr("  what came before:\n    event 3 was made by DriverEntry\n    event 3 was set & reset\n"));
  EXPECT_THAT(text, HasSubstr("  more: drydock explain NT-IRQL-03\n  more: https://learn.microsoft.com/"));
}

TEST(TextReport, TellsWhatWasLeftOut) {
  Report report = sample_report();
  report.drivers[0].scenarios[0].cut_short = true;
  EXPECT_THAT(text_report(report, Colour::No), HasSubstr("found: errors in 64 of 64 seeds, the rest left out\n"));
}

TEST(TextReport, TellsOutcomesApartAndCountsThem) {
  std::string text = text_report(report_of_all_outcomes(), Colour::No);
  EXPECT_THAT(text, HasSubstr("50 seeds          7 DDI calls          9 frames  passed: warnings in 3 of 50 seeds\n"));
  EXPECT_THAT(text, HasSubstr("50 seeds  found: errors in 2 of 50 seeds\n"));
  EXPECT_THAT(text, HasSubstr("50 seeds  skipped: the driver has no <pin>\n"));
  EXPECT_THAT(text, HasSubstr("50 seeds  incomplete: the adapter never started\n"));
  EXPECT_THAT(text, HasSubstr("50 seeds  our fault: Drydock failed\n"));
  EXPECT_THAT(text, HasSubstr("\ncould not run: nt/dead: the adapter never started\n"));
  EXPECT_THAT(text, EndsWith("300 runs of 6 scenarios: 1 passed, 2 found, 1 skipped, 1 incomplete, 1 our fault\n"));
}

TEST(TextReport, FaultsAreToldWithTheirScenario) {
  Report report = sample_report();
  report.drivers[0].scenarios[0].faults = FaultCounts{5, 1};
  EXPECT_THAT(text_report(report, Colour::No), HasSubstr(" faults: 5 injected, 1 place left untried\n"));
}

TEST(Report, IsCompleteWhenEverythingThatWasAskedForWasTried) {
  Report report = sample_report();
  ScenarioRun& scenario = report.drivers[0].scenarios[0];
  for (Outcome outcome : {Outcome::Passed, Outcome::Found, Outcome::Skipped}) {
    scenario.outcome = outcome;
    EXPECT_TRUE(report.complete()) << to_string(outcome);
  }
  report.drivers[0].not_run = {{"the time limit", "left out 5 seeds", true}};
  EXPECT_TRUE(report.complete());
  for (Outcome outcome : {Outcome::Incomplete, Outcome::OurFault}) {
    scenario.outcome = outcome;
    EXPECT_FALSE(report.complete()) << to_string(outcome);
  }
  scenario.outcome = Outcome::Passed;
  report.drivers[0].not_run.push_back({"", "no process is left"});
  EXPECT_FALSE(report.complete());
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

TEST(TextReport, AStackWithoutTheDriverIsLeftOutBesideOneThatHasIt) {
  Finding finding = named_sample();
  finding.stacks = {{"the routine", {frame_at("mill.so", 0x100, true)}},
                    {"here", {frame_at("drydock", 0x300, false)}},
                    {"thread 'x' waits", {frame_at("drydock", 0x300, false)}}};
  std::string text = text_finding(finding, 1, Colour::No);
  EXPECT_THAT(text, HasSubstr("  the routine:\n    #0 "));
  EXPECT_THAT(text, Not(HasSubstr("  here:\n")));
  EXPECT_THAT(text, HasSubstr("  thread 'x' waits:\n    (no code of the driver)\n"));
}

TEST(ReplayCommand, QuotesWhatAShellWouldSplit) {
  RunContext run = sample_finding().run;
  run.driver = "my drivers/it's.so";
  EXPECT_EQ(replay_command(run), "drydock check 'my drivers/it'\\''s.so' --scenario load --seed 7");
}

TEST(ReplayCommand, NamesWhatWasNotTheDefault) {
  RunContext run = sample_finding().run;
  run.processors = 4;
  run.profile = "wddm2.0";
  run.fault = 17;
  EXPECT_THAT(replay_command(run), EndsWith(" --seed 7 --processors 4 --profile wddm2.0 --fault 17"));
  run.hang_edges = 5000;
  EXPECT_THAT(replay_command(run), EndsWith(" --fault 17 --hang-edges 5000"));
}

TEST(ShellLine, QuotesEachWord) {
  EXPECT_EQ(shell_line({"drydock", "check", "a b", "", "$HOME", "x=1"}), "drydock check 'a b' '' '$HOME' x=1");
  EXPECT_EQ(shell_line({}), "");
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
  std::vector<Finding> findings{warning, sample_leak(), policy, named_sample()};
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

TEST(TextFinding, OfAPackageNamesNoRun) {
  Finding finding;
  finding.rule = "PK-16";
  finding.sentence = "StartType of Bad is 1";
  finding.run.driver = "my.inf";
  std::string text = text_finding(finding, 0, Colour::No);
  EXPECT_THAT(text, ::testing::HasSubstr("replay: drydock check --inf my.inf\n"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("seed")));
}

}  // namespace
}  // namespace verifier
