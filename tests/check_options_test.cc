// What can be asked of `drydock check` beside a driver: how much, what counts, what is kept. And of `drydock`: its
// version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/sanitizer.h"
#include "program.h"

namespace tests {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Leaks one block in each run of nt/run, in MillLeak.
std::string leaky() { return driver("bad/mill/leak"); }
constexpr const char* kLeakRule = "NT-LEAK-01";

std::vector<std::string> check_leaky(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"check", leaky(), "--scenario", "nt/run", "--seeds", "3"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

nlohmann::json json_of(const std::string& path) { return nlohmann::json::parse(read_text(path), nullptr, false); }

// The one place that says it is the project() of CMakeLists.txt.
TEST(Version, IsTheProjects) {
  std::string text = read_text(DRYDOCK_SOURCE_DIR "/CMakeLists.txt");
  std::smatch project;
  ASSERT_TRUE(std::regex_search(text, project, std::regex(R"(project\(drydock VERSION (\d+\.\d+\.\d+) )")));
  Outcome outcome = drydock({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "drydock " + project[1].str() + "\n");
}

// --- What counts ---

TEST(CheckPolicy, AWarningIsSaidAndDoesNotFail) {
  Outcome outcome = drydock(check_leaky({"--policy", std::string(kLeakRule) + "=warn"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(std::string("warning ") + kLeakRule));
}

TEST(CheckPolicy, OffIsSilentAndErrorIsTheDefault) {
  Outcome off = drydock(check_leaky({"--policy", std::string(kLeakRule) + "=off"}));
  EXPECT_EQ(off.exit_code, 0) << off.out;
  EXPECT_THAT(rules_found(off), IsEmpty());
  Outcome error = drydock(check_leaky({"--policy", std::string(kLeakRule) + "=error"}));
  EXPECT_EQ(error.exit_code, 1) << error.out;
  EXPECT_EQ(rules_found(error), rules_found(drydock(check_leaky({}))));
}

// What a page only recommends (class should) warns: nothing fails over it, and no seed is left out.
TEST(CheckPolicy, WhatIsRecommendedWarnsUnlessItIsMadeAnError) {
  std::vector<std::string> words = {
      "check", driver("bad/nt/ir05_executable_pool"), "--scenario", "nt/load-unload", "--seeds", "40"};
  Outcome warned = drydock(words);
  EXPECT_EQ(warned.exit_code, 0) << warned.out;
  EXPECT_THAT(warned.out, HasSubstr("warning NT-POOL-10"));
  EXPECT_THAT(warned.out, HasSubstr("passed: warnings in 40 of 40 seeds\n"));
  EXPECT_THAT(warned.out, HasSubstr(": 0 errors, 1 warning in 40 runs"));
  words.insert(words.end(), {"--policy", "NT-POOL-10=error"});
  Outcome failed = drydock(words);
  EXPECT_EQ(failed.exit_code, 1) << failed.out;
  EXPECT_THAT(failed.out, HasSubstr("error NT-POOL-10"));
  EXPECT_THAT(failed.out, HasSubstr("the rest left out")) << "25 seeds with an error are enough";
}

TEST(CheckPolicy, AnythingElseIsRefused) {
  for (const char* text : {"NT-LEAK-01", "NT-LEAK-01=loud", "=off", "NT-NONE-99=off"}) {
    Outcome outcome = drydock(check_leaky({"--policy", text}));
    EXPECT_EQ(outcome.exit_code, 2) << text << "\n" << outcome.out;
  }
}

TEST(CheckSuppress, WhatIsKnownIsNotTold) {
  TemporaryFolder folder;
  std::string file = folder.path() + "/known.txt";
  write_text(file, "# the bench leaks on purpose\nNT-LEAK-01  *\n");
  Outcome outcome = drydock(check_leaky({"--suppress", file}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(rules_found(outcome), IsEmpty()) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("suppressed"));
}

TEST(CheckSuppress, ALineThatMatchesNothingIsAnError) {
  TemporaryFolder folder;
  std::string file = folder.path() + "/known.txt", json = folder.path() + "/report.json";
  write_text(file, "NT-LEAK-01  *\nNT-LEAK-01  no_such_function\n");
  Outcome outcome = drydock(check_leaky({"--suppress", file, "--json", json}));
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("known.txt:2"));
  EXPECT_FALSE(std::filesystem::exists(json)) << "nothing half-written";
}

// --- How much ---

TEST(CheckTime, AloneIsFilledWithSeeds) {
  TemporaryFolder folder;
  std::string json = folder.path() + "/report.json";
  Outcome outcome =
      drydock({"check", driver("mill"), "--scenario", "nt/load-unload", "--time", "2", "--jobs", "1", "--json", json});
  EXPECT_THAT(outcome.out, Not(HasSubstr("time limit"))) << "nothing was left out";
  EXPECT_GT(json_of(json)["drivers"][0]["scenarios"][0]["seeds"], 50) << "two seconds are enough for more";
}

TEST(CheckTime, WhatWasLeftOutIsTold) {
  Outcome outcome = drydock({"check", driver("mill"), "--seeds", "1000000000000", "--time", "1"});
  EXPECT_THAT(outcome.exit_code, AnyOf(0, 4)) << outcome.out;  // 4: on a slow computer a scenario has no seed
  EXPECT_THAT(outcome.out, HasSubstr("time limit"));
}

TEST(CheckProfile, IsNamedOrRefused) {
  std::vector<std::string> arguments = {
      "check", driver("softgpu/softgpu"), "--scenario", "alloc/start-stop", "--seeds", "2", "--profile"};
  for (const char* profile : {"wddm1.2", "wddm2.0", "wddm3.1"}) {
    arguments.push_back(profile);
    Outcome outcome = drydock(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << profile << "\n" << outcome.out;
    arguments.pop_back();
  }
  arguments.push_back("wddm9.9");
  Outcome outcome = drydock(arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, HasSubstr("wddm2.0")) << "the known ones are told";
}

TEST(CheckFaults, EveryPlaceFailsOnceAndTheGoodDriverSurvives) {
  TemporaryFolder folder;
  std::string json = folder.path() + "/report.json";
  Outcome outcome =
      drydock({"check", driver("mill"), "--scenario", "nt/low-memory", "--seeds", "1", "--faults", "--json", json});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  auto faults = json_of(json)["drivers"][0]["faults"];
  EXPECT_GT(faults["injected"].get<uint64_t>(), 3u);
}

// --- Which drivers ---

TEST(CheckTargets, SeveralDriversMakeOneReport) {
  TemporaryFolder folder;
  std::string json = folder.path() + "/report.json";
  Outcome outcome = drydock({"check", driver("mill"), leaky(), "--scenario", "nt/run", "--seeds", "2", "--json", json});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
  auto report = json_of(json);
  EXPECT_EQ(report["drivers"].size(), 2u);
  EXPECT_EQ(report["schema"], "drydock-report/1");
  ASSERT_FALSE(report["findings"].empty());
  for (const auto& finding : report["findings"]) EXPECT_EQ(finding["driver"], 1);
}

TEST(CheckTargets, AKindThatIsSaidMustBeTrue) {
  Outcome outcome = drydock({"check", "--ks", driver("mill")});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("AVStream"));
  Outcome kmd =
      drydock({"check", "--kmd", driver("softgpu/softgpu"), "--scenario", "alloc/start-stop", "--seeds", "1"});
  EXPECT_EQ(kmd.exit_code, 0) << kmd.out;
}

// --- What is kept ---

TEST(CheckFiles, APathThatCannotBeWrittenIsRefusedBeforeAnythingRuns) {
  TemporaryFolder folder;
  for (const char* option : {"--json", "--junit", "--sarif", "--report"}) {
    for (const std::string& path : {folder.path() + "/no/such/folder/x", folder.path()}) {
      Outcome outcome = drydock(check_leaky({option, path}));
      EXPECT_EQ(outcome.exit_code, 2) << option << " " << path << "\n" << outcome.out;
      EXPECT_THAT(outcome.out, HasSubstr(path));
      EXPECT_THAT(outcome.out, Not(HasSubstr("ran ")));
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(CheckFindings, CarryTheCallItsHistoryAndWhatToRead) {
  if (base::kSanitizer != base::Sanitizer::None) GTEST_SKIP() << "the driver is built in the plain tree";
  TemporaryFolder folder;
  std::string json = folder.path() + "/report.json";
  Outcome outcome = drydock({"check", driver("bad/kmd/opened_without_handle"), "--scenario", "alloc/device-lost",
                             "--seeds", "1", "--json", json});
  ASSERT_EQ(outcome.exit_code, 1) << outcome.out;
  auto finding = json_of(json)["findings"][0];
  EXPECT_THAT(finding["call"].get<std::string>(), HasSubstr("DXGKARG_OPENALLOCATION {NumAllocations "));
  EXPECT_GT(finding["history"].size(), 2u);
  EXPECT_THAT(finding["history"].dump(), HasSubstr("DxgkDdiOpenAllocation"));
  EXPECT_THAT(finding["read_next"].dump(), HasSubstr("learn.microsoft.com"));
}

}  // namespace
}  // namespace tests
