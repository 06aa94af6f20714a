// Equal seeds are equal runs: in two processes, beside any number of others, and whatever ran before in the same one.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "base/sanitizer.h"
#include "program.h"

namespace tests {
namespace {

// What `drydock check --hash` prints: "hash SCENARIO SEED TRACE FINDINGS".
using Hashes = std::map<std::string, std::string>;

Hashes hashes_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "check");
  arguments.push_back("--hash");
  Outcome outcome = drydock(arguments);
  EXPECT_LE(outcome.exit_code, 1) << outcome.out;
  Hashes hashes;
  std::istringstream lines(outcome.out);
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, found, std::regex("hash (\\S+ \\d+) ([0-9a-f]{16} [0-9a-f]{16})"))) {
      hashes[found[1]] = found[2];
    }
  }
  EXPECT_FALSE(hashes.empty()) << outcome.out;
  return hashes;
}

class EqualSeeds : public ::testing::TestWithParam<const char*> {};

// With one job all seeds of a scenario run in one or two processes, one after another; with four in more.
TEST_P(EqualSeeds, AreEqualRunsWithAnyNumberOfJobs) {
  std::vector<std::string> arguments = {driver(GetParam()), "--seeds", "4", "--jobs"};
  auto with_jobs = [&](const char* jobs) {
    std::vector<std::string> all = arguments;
    all.push_back(jobs);
    return hashes_of(all);
  };
  Hashes alone = with_jobs("1");
  EXPECT_EQ(with_jobs("2"), alone);
  EXPECT_EQ(with_jobs("4"), alone);
}

std::vector<const char*> drivers() {
  std::vector<const char*> all = {"mill", "testcam", "ksalloc", "kssg", "softgpu/softgpu", "bad/mill/leak"};
  // Built in the plain tree only.
  if (base::kSanitizer == base::Sanitizer::None) {
    all.insert(all.end(), {"bad/nt/deadlock", "bad/nt/leak", "bad/nt/pool_use_after_free", "bad/nt/crash"});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Drivers, EqualSeeds, ::testing::ValuesIn(drivers()), [](const auto& row) {
  std::string name = row.param;
  std::ranges::replace(name, '/', '_');
  return name;
});

// --- Nothing is left of the seed before ---

TEST(FreshSeeds, ADeviceModelBeginsAnew) {
  std::vector<std::string> arguments = {driver("tests/api/skeleton"), "--device", DRYDOCK_REMEMBERING_DEVICE,
                                        "--scenario", "alloc/start-stop"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return hashes_of(more);
  };
  Hashes all = with({"--seeds", "2", "--jobs", "1"});  // in one process
  Hashes last = with({"--seed", "1"});
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(all[last.begin()->first], last.begin()->second);
}

TEST(FreshSeeds, TheFolderOfFilesBeginsAnewAndIsNotTouched) {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() + "/c/kept");
  write_text(folder.path() + "/c/kept/config.txt", "1");
  Outcome outcome = drydock({"check", driver("quiet/nt/creates_its_file"), "--files", folder.path(), "--scenario",
                             "nt/load-unload", "--seeds", "4", "--jobs", "1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(read_text(folder.path() + "/c/kept/config.txt"), "1");
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/c/state.bin"));
}

// A choice among more than fits into 32 bits: how long nt/unload-any-time waits.
TEST(Schedules, AreReplayedWithLargeChoices) {
  TemporaryFolder folder;
  Outcome found = drydock(
      {"check", driver("bad/mill/leak"), "--scenario", "nt/unload-any-time", "--seed", "5", "--save", folder.path()});
  EXPECT_EQ(found.exit_code, 1) << found.out;
  std::string file = folder.path() + "/NT-LEAK-01-nt-unload-any-time-seed5.schedule";
  ASSERT_NE(read_text(file).find("\nc 8388608000 "), std::string::npos) << "the seed no longer chooses among so many";
  Outcome again = drydock({"replay", file});
  EXPECT_EQ(again.exit_code, 1) << again.out;
  EXPECT_EQ(rules_found(again), rules_found(found)) << again.out;
}

}  // namespace
}  // namespace tests
