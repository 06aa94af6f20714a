// How scenarios end, as a user of `drydock check` meets it: what tried nothing is no pass, what is off is carried on
// behind, what is interrupted is kept, and equal seeds give equal numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "base/sanitizer.h"
#include "host/run/floors.h"
#include "host/run/scenario.h"
#include "program.h"

namespace tests {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr bool kPlain = base::kSanitizer == base::Sanitizer::None;

Json json_of(const std::string& path) { return Json::parse(read_text(path), nullptr, false); }

// --- Drivers on which nothing can be tried ---

struct Untriable {
  const char* name;
  std::vector<std::string> arguments;
  std::set<std::string> can = {};  // the scenarios that need no more than this driver does
  std::string why = {};            // part of the reason of all others
};

class Nothing : public testing::TestWithParam<Untriable> {};

// Every scenario that is for this kind of driver.
TEST_P(Nothing, IsNeverAPass) {
  TemporaryFolder folder;
  std::string json = folder.path() + "/report.json";
  std::vector<std::string> arguments = {"check", "--seeds", "4", "--json", json};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  Outcome outcome = drydock(arguments);
  EXPECT_EQ(outcome.exit_code, 4) << outcome.out;
  const Json report = json_of(json);
  ASSERT_FALSE(report["drivers"][0]["scenarios"].empty()) << outcome.out;
  for (const Json& scenario : report["drivers"][0]["scenarios"]) {
    if (GetParam().can.count(scenario["name"])) continue;
    if (std::string(scenario["name"]).ends_with("low-memory"))
      continue;  // the failure may be the one that was injected
    EXPECT_NE(scenario["outcome"], "passed") << scenario;
    EXPECT_NE(scenario["reason"], "") << scenario;
    EXPECT_THAT(std::string(scenario["reason"]), HasSubstr(GetParam().why)) << scenario;
  }
}

// What needs no device of an NT driver, none that starts, and none that a program uses.
const std::set<std::string> kNoDevice = {"nt/load-unload", "nt/run", "nt/unload-any-time"};
const std::set<std::string> kNoStart = {"nt/load-unload", "nt/run", "nt/unload-any-time", "nt/never-started"};
const std::set<std::string> kNoProgram = {"nt/load-unload",   "nt/run", "nt/unload-any-time",
                                          "nt/never-started", "nt/pnp", "nt/power"};
// What is about open handles, or about requests that a correct driver may refuse.
const std::set<std::string> kNoService = {"nt/load-unload",  "nt/run",   "nt/unload-any-time", "nt/never-started",
                                          "nt/pnp",          "nt/power", "nt/removal",         "nt/surprise-removal",
                                          "nt/wild-controls"};

INSTANTIATE_TEST_SUITE_P(Drivers, Nothing,
                         testing::Values(Untriable{"NtEntryFails", {driver("tests/outcome/nt_entry_fails")}},
                                         Untriable{"EntryFails", {driver("tests/outcome/entry_fails")}},
                                         Untriable{"AdapterNeverStarts", {driver("tests/outcome/start_fails")}},
                                         Untriable{"BelowAUserModeDriver",
                                                   {"--umd", driver("softgpu/softgpu_umd"), "--kmd",
                                                    driver("tests/outcome/start_fails")}},
                                         Untriable{"AddDeviceRefuses", {driver("tests/ks/refuses_add")}},
                                         Untriable{"DeviceNeverStarts", {driver("tests/ks/refuses_start")}},
                                         Untriable{"HasNoFilter", {driver("tests/ks/without_filter")}, {"ks/load"}},
                                         Untriable{"NtAddDeviceFails",
                                                   {driver("tests/outcome/nt_add_fails")},
                                                   kNoDevice,
                                                   "AddDevice failed with 0xC0000182"},
                                         Untriable{"NtAttachesNothing",
                                                   {driver("tests/outcome/nt_attaches_nothing")},
                                                   kNoDevice,
                                                   "AddDevice attached no device object"},
                                         Untriable{"NtDeviceNeverStarts",
                                                   {driver("tests/outcome/nt_start_fails")},
                                                   kNoStart,
                                                   "the device never started: IRP_MN_START_DEVICE failed with "
                                                   "0xC0000182"},
                                         Untriable{"NtRefusesEveryHandle",
                                                   {driver("tests/outcome/nt_refuses_create")},
                                                   kNoProgram,
                                                   "every attempt to open a device was refused"},
                                         Untriable{"NtRefusesEveryRequest",
                                                   {driver("tests/outcome/nt_refuses_requests")},
                                                   kNoService,
                                                   "every request was refused in every seed"}),
                         [](const auto& of) { return of.param.name; });

// What streams or submits, on drivers that accept every call and do nothing.
TEST(AcceptedAndNotDone, IsNeverAPass) {
  for (const char* name : {"tests/ks/does_nothing", "tests/ks/testcam", "tests/outcome/does_nothing"}) {
    TemporaryFolder folder;
    std::string json = folder.path() + "/report.json";
    Outcome outcome = drydock({"check", driver(name), "--seeds", "8", "--json", json});
    EXPECT_NE(outcome.exit_code, 0) << outcome.out;
    const Json report = json_of(json);
    for (const Json& scenario : report["drivers"][0]["scenarios"]) {
      const host::Floor* floor = host::find_floor(std::string(scenario["name"]));
      ASSERT_NE(floor, nullptr) << scenario;
      const bool works =
          floor->counted == &verifier::Activity::frames || floor->counted == &verifier::Activity::submissions;
      if (!works || floor->per_100 < 100) continue;
      EXPECT_NE(scenario["outcome"], "passed") << name << ' ' << scenario;
    }
  }
}

// With few seeds: the driver is too small for the floors of scenarios that count its routines.
TEST(PinsThatNeedEachOther, Pass) {
  Outcome outcome = drydock({"check", driver("tests/ks/pair"), "--seeds", "4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
}

// --- A rule that is off ---

// Trace of one run of a driver that waits at DISPATCH_LEVEL, which ends the run by our choice.
std::string trace_of_a_wait(const std::vector<std::string>& more) {
  TemporaryFolder folder;
  std::string trace = folder.path() + "/run.trace";
  std::vector<std::string> arguments = {
      "check", driver("bad/nt/wait_at_dispatch"), "--scenario", "nt/load-unload", "--seed", "0", "--trace", trace};
  arguments.insert(arguments.end(), more.begin(), more.end());
  drydock(arguments);
  return drydock({"trace", trace}).out;
}

TEST(RuleThatIsOff, TheRunGoesOnBehindIt) {
  if (!kPlain) GTEST_SKIP() << "the driver is built in the plain tree";
  EXPECT_THAT(trace_of_a_wait({}), Not(HasSubstr("DriverUnload")));
  EXPECT_THAT(trace_of_a_wait({"--off", "NT-IRQL-03"}), HasSubstr("DriverUnload"));
}

TEST(RuleThatIsOff, WhereNothingCanGoOnTheScenarioIsIncomplete) {
  Outcome outcome = drydock({"check", driver("bad/mill/deadlock"), "--scenario", "nt/run", "--seed", "0", "--off",
                             "NT-STUCK-01", "--off", "NT-LOCK-01"});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.out;
  EXPECT_THAT(outcome.out,
              HasSubstr("incomplete: NT-STUCK-01 is off, and nothing can go on behind it (in 1 of 1 seed)\n"));
  EXPECT_THAT(outcome.out, HasSubstr(": 0 errors, 0 warnings in 1 run of 1 scenario: 1 incomplete\n"));
}

// --- An interruption ---

TEST(Interruption, KeepsWhatWasFound) {
  TemporaryFolder folder;
  std::string json = folder.path() + "/report.json";
  Outcome outcome = drydock_interrupted({"check", driver("bad/mill/leak"), "--scenario", "nt/run", "--seeds",
                                         "100000000", "--max-failing-seeds", "100000000", "--json", json},
                                        "found NT-LEAK-01", SIGINT);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
  EXPECT_THAT(rules_found(outcome), Contains("NT-LEAK-01")) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("could not run: interrupted: left out "));
  const Json driver_of_report = json_of(json)["drivers"][0];
  EXPECT_EQ(driver_of_report["scenarios"][0]["outcome"], "found");
  EXPECT_GT(driver_of_report["scenarios"][0]["seeds"], 0);
}

TEST(Interruption, WithoutAnErrorIsIncompleteAndNamesTheDriversThatWereLeft) {
  if (!kPlain) GTEST_SKIP() << "the driver is built in the plain tree";
  Outcome outcome = drydock_interrupted({"check", driver("bad/nt/ir05_executable_pool"), driver("mill"), "--scenario",
                                         "nt/load-unload", "--seeds", "100000000"},
                                        "found NT-POOL-10", SIGTERM);
  EXPECT_EQ(outcome.exit_code, 4) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("could not run: interrupted: this driver was not run\n"));
}

// --- Equal numbers ---

TEST(EqualNumbers, WithAnyNumberOfJobs) {
  TemporaryFolder folder;
  auto report_with = [&](const std::string& jobs) {
    std::string json = folder.path() + "/" + jobs + ".json";
    Outcome outcome = drydock({"check", driver("bad/mill/lost_update"), "--seeds", "400", "--max-failing-seeds", "7",
                               "--jobs", jobs, "--json", json});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
    Json report = json_of(json);
    report["command_line"] = "";
    return report;
  };
  Json one = report_with("1");
  EXPECT_EQ(one, report_with("7"));
  EXPECT_THAT(one["drivers"][0]["scenarios"].dump(), HasSubstr("\"cut_short\":true")) << "otherwise nothing is tried";
}

// --- Floors ---

// What the scenarios of a bundled driver do: name -> what is done in 100 seeds.
std::map<std::string, Json> activity_of(const std::string& name) {
  constexpr int kSeeds = 25;
  TemporaryFolder folder;
  std::string json = folder.path() + "/report.json";
  Outcome outcome = drydock({"check", driver(name), "--seeds", std::to_string(kSeeds), "--json", json});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  std::map<std::string, Json> activity;
  const Json report = json_of(json);
  for (const Json& scenario : report["drivers"][0]["scenarios"]) {
    for (const auto& [key, count] : scenario["activity"].items()) {
      activity[scenario["name"]][key] = count.get<uint64_t>() * 100 / kSeeds;
    }
  }
  return activity;
}

TEST(Floors, AreWhatTheReferenceDriversDo) {
  if (!kPlain) GTEST_SKIP() << "some minutes, and the numbers are the same";
  std::map<std::string, std::map<std::string, Json>> drivers;
  for (const host::Floor& floor : host::all_floors()) {
    if (host::find_scenarios(floor.scenario)[0]->bears_faults) continue;  // low seeds do less than high ones
    if (!drivers.count(floor.driver)) drivers[floor.driver] = activity_of(floor.driver);
    for (const verifier::ActivityCount& one : verifier::kActivityCounts) {
      if (one.count != floor.counted) continue;
      const Json& done = drivers[floor.driver][floor.scenario];
      ASSERT_TRUE(done.is_object()) << floor.scenario << " is not for " << floor.driver;
      // Of few seeds a rare thing may be one more or less.
      constexpr double kFew = 10;
      EXPECT_NEAR(done[one.key].get<double>(), static_cast<double>(floor.per_100),
                  static_cast<double>(floor.per_100) / 3 + kFew)
          << floor.scenario << ": scripts/floors measures it anew";
    }
  }
}

}  // namespace
}  // namespace tests
