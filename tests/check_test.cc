// `drydock check` and `drydock replay` as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/sanitizer.h"
#include "host/run/scenario.h"
#include "program.h"

namespace tests {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr bool kPlain = base::kSanitizer == base::Sanitizer::None;

std::vector<std::string> lines_with(const std::string& text, const std::string& word) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find(word) != std::string::npos) lines.push_back(line);
  }
  return lines;
}

TEST(Check, TheGoodDriverIsQuiet) {
  Outcome outcome = drydock({"check", driver("mill"), "--seeds", kPlain ? "300" : "40"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(" passed\n"));
}

// The planted faults of one multi-threaded driver: each is found within 2,000 seeds, and by its seed again.
struct Planted {
  const char* name;
  const char* rule;
};
void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

// A loop without end costs less than with the default.
constexpr const char* kHangEdges = "2000000";

class PlantedFault : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedFault, IsFoundAndReplayedFromItsSeed) {
  std::string module = driver(std::string("bad/mill/") + GetParam().name);
  TemporaryFolder folder;
  std::string json = folder.path() + "/report.json";
  Outcome found = drydock({"check", module, "--seeds", "2000", "--max-failing-seeds", "3", "--json", json, "--save",
                           folder.path() + "/schedules", "--hang-edges", kHangEdges});
  ASSERT_EQ(found.exit_code, 1) << found.out;
  ASSERT_THAT(rules_found(found), Contains(GetParam().rule)) << found.out;
  EXPECT_THAT(found.out, HasSubstr("drivers/mill/")) << "stacks name the driver's source";

  auto report = nlohmann::json::parse(read_text(json), nullptr, false);
  ASSERT_FALSE(report.is_discarded());
  for (const auto& finding : report["findings"]) {
    if (finding["rule"] != GetParam().rule) continue;
    std::string scenario = finding["run"]["scenario"], seed = std::to_string(finding["run"]["seed"].get<uint64_t>());
    Outcome again = drydock({"check", module, "--scenario", scenario, "--seed", seed, "--hang-edges", kHangEdges});
    EXPECT_THAT(rules_found(again), Contains(GetParam().rule)) << scenario << " " << seed << "\n" << again.out;
    std::string schedule = finding["run"]["schedule"];
    Outcome replayed = drydock({"replay", schedule});
    EXPECT_EQ(replayed.exit_code, 1) << replayed.out;
    EXPECT_THAT(rules_found(replayed), Contains(GetParam().rule)) << replayed.out;
    Outcome in_process = drydock({"replay", schedule, "--in-process"});
    EXPECT_THAT(rules_found(in_process), Contains(GetParam().rule)) << in_process.out;
    return;
  }
  FAIL() << "no such finding in the JSON report";
}

INSTANTIATE_TEST_SUITE_P(Mill, PlantedFault,
                         ::testing::Values(Planted{"lost_update", "NT-CRASH-04"}, Planted{"deadlock", "NT-STUCK-01"},
                                           Planted{"spin", "NT-STUCK-02"}, Planted{"wait_at_dispatch", "NT-IRQL-03"},
                                           Planted{"leak", "NT-LEAK-01"}),
                         [](const auto& test) { return std::string(test.param.name); });

#if DRYDOCK_TSAN
TEST(Check, ThreadSanitizerNamesTheRace) {
  Outcome outcome = drydock({"check", driver("bad/mill/lost_update"), "--scenario", "nt/run", "--seeds", "5"});
  EXPECT_THAT(rules_found(outcome), Contains("NT-RACE-01")) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("drivers/mill/"));
}
#endif

TEST(Check, EqualSeedsGiveEqualTracesInTwoProcesses) {
  // The driver sorts pointers, and the address space of each process is laid out at random.
  std::vector<std::string> command = {"check", driver("mill"), "--seeds", kPlain ? "50" : "12", "--hash"};
  Outcome one = drydock(command), two = drydock(command);
  std::vector<std::string> hashes = lines_with(one.out, "hash nt/");
  EXPECT_EQ(hashes.size(), (kPlain ? 50u : 12u) * host::find_scenarios("nt/*").size());
  EXPECT_EQ(hashes, lines_with(two.out, "hash nt/"));
  std::set<std::string> distinct;
  for (const std::string& line : lines_with(one.out, "hash nt/run ")) distinct.insert(line.substr(line.find(' ', 12)));
  EXPECT_GT(distinct.size(), 5u) << "different seeds are different runs";
}

TEST(Check, TheOrderOfSeedsDoesNotMatter) {
  // Seed 7 alone in a fresh process, and seed 7 after seven others in one.
  Outcome many = drydock({"check", driver("mill"), "--scenario", "nt/run", "--seeds", "8", "--jobs", "1", "--hash"});
  Outcome alone = drydock({"check", driver("mill"), "--scenario", "nt/run", "--seed", "7", "--hash"});
  EXPECT_EQ(lines_with(many.out, "hash nt/run 7 "), lines_with(alone.out, "hash nt/run 7 "));
  EXPECT_EQ(lines_with(alone.out, "hash nt/run 7 ").size(), 1u);
}

TEST(Check, WritesATraceThatCanBeRead) {
  TemporaryFolder folder;
  std::string trace = folder.path() + "/run.trace";
  Outcome run = drydock({"check", driver("mill"), "--scenario", "nt/run", "--seed", "1", "--trace", trace});
  EXPECT_EQ(run.exit_code, 0) << run.out;
  Outcome dump = drydock({"trace", trace});
  EXPECT_EQ(dump.exit_code, 0) << dump.out.substr(0, 1000);
  EXPECT_THAT(dump.out, HasSubstr("Driver/Call"));
  EXPECT_THAT(dump.out, HasSubstr("DriverEntry"));
}

TEST(Check, ListsScenarios) {
  Outcome outcome = drydock({"check", "--list"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("nt/load-unload"));
}

TEST(Check, WithoutAFileTakesTheBundledDrivers) {
  Outcome outcome = drydock({"check", "--scenario", "umd/life", "--seeds", "2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("softgpu_umd.so"));
  EXPECT_THAT(outcome.out, HasSubstr(" passed\n"));
}

// One clear sentence and exit code 2.
void expect_refused(const std::vector<std::string>& arguments, const std::string& sentence) {
  Outcome outcome = drydock(arguments);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(sentence));
}

TEST(BadInput, IsRefusedInOneSentence) {
  TemporaryFolder folder;
  std::string text = folder.path() + "/text.so";
  write_text(text, "this is no driver\n");
  expect_refused({"check", text}, "text.so");
  expect_refused({"check", folder.path() + "/missing.so"}, "missing.so");
  expect_refused({"check", folder.path()}, folder.path());
  expect_refused({"check", "/bin/sh"}, "/bin/sh");
  expect_refused({"check", driver("softgpu/softgpu_umd"), "--kmd", text}, "text.so");
  expect_refused({"check", driver("softgpu/softgpu_umd"), "--kmd", driver("softgpu/softgpu_umd")},
                 "this is a user-mode");
  expect_refused({"check", driver("mill"), "--scenario", "no/such"}, "no scenario matches 'no/such'");
  expect_refused({"check", driver("mill"), "--seeds", "many"}, "--seeds");
  expect_refused({"check", driver("mill"), "--seeds", "0"}, "--seeds");
  expect_refused({"check", driver("mill"), "--off", "NT-NONE-99"}, "NT-NONE-99");
  expect_refused({"check", driver("mill"), "--suppress", folder.path() + "/missing"}, "missing");
  expect_refused({"check", "--inf", folder.path() + "/missing.inf"}, "missing.inf");
  expect_refused({"check", "--inf", driver("mill")}, "mill.so");
  write_text(text, std::string("\xFF\xFE[\0V", 5));  // UTF-16, cut in the middle of a character
  expect_refused({"check", "--inf", text}, "text.so");
  expect_refused({"check", driver("mill"), "--trace", folder.path() + "/t"}, "one --scenario and one --seed");
  expect_refused({"explain", "NT-NONE-99"}, "NT-NONE-99");
  expect_refused({"trace", text}, "text.so");
  expect_refused({"nonsense"}, "subcommand");
}

TEST(BadInput, ATruncatedDriverIsRefused) {
  TemporaryFolder folder;
  std::string whole = read_text(driver("mill"));
  for (size_t bytes : {size_t{0}, size_t{10}, size_t{63}, size_t{64}, size_t{1000}, whole.size() / 2}) {
    std::string cut = folder.path() + "/cut.so";
    write_text(cut, whole.substr(0, bytes));
    expect_refused({"check", cut}, "cut.so");
  }
}

TEST(BadInput, AScheduleThatDoesNotMatchIsRefused) {
  TemporaryFolder folder;
  std::string module = driver("bad/mill/lost_update"), schedules = folder.path() + "/schedules";
  Outcome found = drydock(
      {"check", module, "--scenario", "nt/run", "--seeds", "200", "--max-failing-seeds", "1", "--save", schedules});
  ASSERT_EQ(found.exit_code, 1) << found.out;
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator(schedules)) file = entry.path().string();
  ASSERT_FALSE(file.empty());

  expect_refused({"check", driver("mill"), "--schedule", file}, "another build of the driver");
  expect_refused({"replay", folder.path() + "/missing"}, "missing");

  std::string text = read_text(file);
  std::string other = folder.path() + "/other";
  size_t blank = text.find("\n\n");
  write_text(other, text.substr(0, blank + 2) + "p 60 3\n" + text.substr(blank + 2));
  expect_refused({"replay", other}, "the schedule does not match the program");
  write_text(other, text.substr(0, blank + 2));
  expect_refused({"replay", other}, "the schedule does not match the program");
  write_text(other, text.substr(0, blank + 2) + "p 3 7\n");
  expect_refused({"replay", other}, "not a decision");
  write_text(other, "something else");
  expect_refused({"replay", other}, "not a schedule");
}

// Where a driver waits for a lock that another thread of its holds: two stacks, of which a debugger sees one.
TEST(ReplayGdb, KnowsTheMachinesThreads) {
  if (!kPlain) GTEST_SKIP() << "a sanitizer's own threads and signals are in the way";
  TemporaryFolder folder;
  Outcome found =
      drydock({"check", driver("bad/mill/deadlock"), "--scenario", "nt/run", "--seed", "0", "--save", folder.path()});
  ASSERT_EQ(found.exit_code, 1) << found.out;
  Outcome debugged = drydock({"replay", folder.path() + "/NT-STUCK-01-nt-run-seed0.schedule", "--gdb", "--", "-batch",
                              "-ex", "nt-threads", "-ex", "nt-bt 5", "-ex", "nt-bt 999"});
  EXPECT_THAT(debugged.out, HasSubstr("'main' waits at PASSIVE_LEVEL"));
  EXPECT_THAT(debugged.out, HasSubstr("in system thread"));
  EXPECT_THAT(debugged.out, HasSubstr("thread 5 'driver thread 1'"));
  EXPECT_THAT(debugged.out, HasSubstr("MillGrind")) << "the driver's own frames, of a thread that does not run";
  EXPECT_THAT(debugged.out, HasSubstr("there is no thread 999"));
}

TEST(Explain, KnowsRulesAndFunctions) {
  EXPECT_THAT(drydock({"explain", "NT-IRQL-03"}).out, HasSubstr("learn.microsoft.com"));
  EXPECT_THAT(drydock({"explain", "KeSetEvent"}).out, HasSubstr("DISPATCH_LEVEL"));
  EXPECT_THAT(drydock({"explain"}).out, HasSubstr("NT-POOL-01"));
}

}  // namespace
}  // namespace tests
