#include "host/check/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "host/run/files_copy.h"
#include "host/testing/batch_lines.h"

namespace host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Json = nlohmann::ordered_json;

void never_run(ScenarioContext&) {}

constexpr Scenario kFirst{.name = "fake/first", .story = "", .run = never_run};
constexpr Scenario kSecond{.name = "fake/second", .story = "", .run = never_run, .bears_faults = true};

// A driver's place is taken by a table: what is found in a seed, or with a fault, and what its run returns.
class FakeRunner final : public SeedRunner {
 public:
  struct Asked {
    std::string scenario;
    uint64_t seed;
    SeedOptions options;
  };

  SeedResult run(const Scenario& scenario, uint64_t seed, const SeedOptions& options) override {
    asked.push_back({scenario.name, seed, options});
    const uint64_t key = by_fault ? options.run.fault : seed;
    now_ = found[key];
    if (options.record) options.record->entries.push_back({nt::Decision::Choice, 100, seed});
    return results[key];
  }
  std::span<const verifier::Finding> findings() const override { return now_; }
  std::string build_id() const override { return "b1d"; }

  bool by_fault = false;  // the tables are by fault, not by seed
  std::map<uint64_t, std::vector<verifier::Finding>> found;
  std::map<uint64_t, SeedResult> results;
  std::vector<Asked> asked;

 private:
  std::vector<verifier::Finding> now_;
};

class WorkerTest : public ::testing::Test {
 protected:
  WorkerTest() {
    options_.run.driver = "fake.so";
    options_.scenarios = {&kFirst, &kSecond};
    command_.first = 10;
    command_.count = 3;
    command_.max_failing = 100;
  }

  // Runs the batch and reads what it wrote.
  int run() {
    std::FILE* file = std::tmpfile();
    int code = run_batch(runner_, options_, command_, fileno(file), status_);
    std::rewind(file);
    std::string text;
    for (int c; (c = std::fgetc(file)) != EOF;) text.push_back(static_cast<char>(c));
    std::fclose(file);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) said_.push_back(Json::parse(line));
    return code;
  }
  std::vector<std::string> types() const {
    std::vector<std::string> types;
    for (const Json& message : said_) types.push_back(message["type"]);
    return types;
  }
  std::vector<uint64_t> seeds_asked() const {
    std::vector<uint64_t> seeds;
    for (const auto& asked : runner_.asked) seeds.push_back(asked.seed);
    return seeds;
  }
  // The first message of that type.
  Json said(const std::string& type) const {
    for (const Json& message : said_) {
      if (message["type"] == type) return message;
    }
    ADD_FAILURE() << "nothing was said of type " << type;
    return Json::object();
  }
  void find(uint64_t key, nt::Violation what) {
    runner_.found[key].push_back(finding_of(what, "it happened", "fake/first", key));
  }
  static nt::Violation some_warning() {
    for (const verifier::Rule& rule : verifier::all_rules()) {
      if (verifier::level_of(rule.rule_class) == verifier::Level::Warning) return rule.violation;
    }
    return nt::Violation::Crash;
  }

  FakeRunner runner_;
  CheckOptions options_;
  BatchCommand command_;
  WorkerStatus status_{};
  std::vector<Json> said_;
};

TEST_F(WorkerTest, EverySeedOfTheBatchIsRunOnceAndTold) {
  command_.scenario = 1;
  EXPECT_EQ(run(), kWorkerDone);
  EXPECT_THAT(seeds_asked(), ElementsAre(10, 11, 12));
  EXPECT_EQ(runner_.asked[0].scenario, "fake/second");
  EXPECT_THAT(types(), ElementsAre("seed", "seed", "seed", "end"));
  EXPECT_EQ(said_[1], Json::parse(R"({"type":"seed","seed":11,"failing":false})"));
  EXPECT_EQ(status_.seed, 12u);
  EXPECT_EQ(status_.heartbeat, 3u);
}

TEST_F(WorkerTest, WhatWasFoundIsToldBeforeItsSeed) {
  find(11, nt::Violation::AssertionFailed);
  EXPECT_EQ(run(), kWorkerDone);
  EXPECT_THAT(types(), ElementsAre("seed", "finding", "seed", "seed", "end"));
  EXPECT_EQ(said("finding")["seed"], 11);
  EXPECT_EQ(said("finding")["finding"]["sentence"], "it happened");
  EXPECT_EQ(said_[2]["failing"], true);
  EXPECT_FALSE(said_[2].contains("warned"));
  EXPECT_EQ(said_[3]["failing"], false);
}

TEST_F(WorkerTest, ASeedWithWarningsAloneIsWarnedAndDoesNotFail) {
  find(10, some_warning());
  command_.max_failing = 1;
  run();
  EXPECT_EQ(said("seed")["failing"], false);
  EXPECT_EQ(said("seed")["warned"], true);
  EXPECT_THAT(runner_.asked, SizeIs(3));
}

TEST_F(WorkerTest, ABatchEndsWhenEnoughSeedsHaveFailed) {
  for (uint64_t seed : {10, 11, 12}) find(seed, nt::Violation::AssertionFailed);
  command_.max_failing = 2;
  EXPECT_EQ(run(), kWorkerDone);
  EXPECT_THAT(seeds_asked(), ElementsAre(10, 11));
  EXPECT_EQ(types().back(), "end");
}

TEST_F(WorkerTest, AHangingSeedCountsForManyFailingOnes) {
  find(10, nt::Violation::Hang);
  command_.max_failing = 1 + kHangingSeed;
  EXPECT_EQ(run(), kWorkerDone);
  EXPECT_THAT(seeds_asked(), ElementsAre(10));
  EXPECT_EQ(said("seed")["hung"], true);
}

TEST_F(WorkerTest, AWorkerEndsAfterWhatMayHaveDamagedIt) {
  for (nt::Violation what : {nt::Violation::Crash, nt::Violation::PoolOverrun, nt::Violation::PoolUseAfterFree,
                             nt::Violation::StackTooDeep}) {
    SCOPED_TRACE(nt::to_string(what));
    runner_ = {};
    said_.clear();
    find(11, what);
    EXPECT_EQ(run(), kWorkerTainted);
    EXPECT_THAT(seeds_asked(), ElementsAre(10, 11));
    EXPECT_THAT(types(), ElementsAre("seed", "finding", "seed", "end"));
    EXPECT_EQ(status_.seed, 11u);
  }
}

TEST_F(WorkerTest, TheOptionsOfARunTravelWholeToEverySeed) {
  options_.run.processors = 5;
  options_.run.profile = "wddm2.0";
  options_.run.hang_edges = 123;
  options_.run.trace_file = "/some/trace";
  options_.run.replay.emplace().entries = {{nt::Decision::Pick, 2, 1}};
  command_.fault = 6;
  run();
  ASSERT_THAT(runner_.asked, SizeIs(3));
  for (const auto& asked : runner_.asked) {
    EXPECT_EQ(asked.options.run.driver, "fake.so");
    EXPECT_EQ(asked.options.run.processors, 5u);
    EXPECT_EQ(asked.options.run.profile, "wddm2.0");
    EXPECT_EQ(asked.options.run.hang_edges, 123u);
    EXPECT_EQ(asked.options.run.trace_file, "/some/trace");
    ASSERT_TRUE(asked.options.run.replay);
    EXPECT_THAT(asked.options.run.replay->entries, SizeIs(1));
    EXPECT_EQ(asked.options.run.fault, 6u) << "the batch's, not the options'";
    EXPECT_TRUE(asked.options.trace);
    EXPECT_FALSE(asked.options.record);
  }
}

TEST_F(WorkerTest, ARunIsTracedOnlyWhenSomebodyWantsTheTrace) {
  run();
  EXPECT_FALSE(runner_.asked.back().options.trace);
  command_.trace = true;
  run();
  EXPECT_TRUE(runner_.asked.back().options.trace);
  command_.trace = false;
  options_.hashes = true;
  run();
  EXPECT_TRUE(runner_.asked.back().options.trace);
}

TEST_F(WorkerTest, HashesAreToldWhenTheyAreAskedFor) {
  options_.hashes = true;
  runner_.results[10].trace_hash = 0xABCD;
  find(10, nt::Violation::AssertionFailed);
  run();
  EXPECT_EQ(said("seed")["hash"], 0xABCD);
  EXPECT_EQ(said("seed")["findings_hash"], verifier::hash_of(runner_.found[10]));
}

TEST_F(WorkerTest, CallsIntoADisplayDriverAreTold) {
  runner_.results[10].activity.ddi_calls = 99;
  run();
  EXPECT_EQ(said_[0]["activity"]["ddi_calls"], 99);
  EXPECT_FALSE(said_[1].contains("activity"));
}

TEST_F(WorkerTest, AScheduleNamesTheRunThatItIsOf) {
  options_.run.processors = 3;
  options_.run.hang_edges = 77;
  command_.keep_schedule = true;
  command_.count = 2;
  run();
  EXPECT_THAT(types(), ElementsAre("schedule", "seed", "schedule", "seed", "end"));
  auto schedule = nt::Schedule::from_text(said_[2]["text"].get<std::string>());
  ASSERT_TRUE(schedule.ok()) << schedule.error();
  EXPECT_EQ(schedule.value().header, (nt::Schedule::Header{.driver = "fake.so",
                                                           .build_id = "b1d",
                                                           .scenario = "fake/first",
                                                           .seed = 11,
                                                           .processors = 3,
                                                           .hang_edges = 77}));
  EXPECT_THAT(schedule.value().entries, ElementsAre(nt::Schedule::Entry{nt::Decision::Choice, 100, 11}))
      << "one seed's choices do not go into the next one's schedule";
}

TEST_F(WorkerTest, ADivergenceIsTold) {
  runner_.results[10].divergence = nt::Divergence{.at = 3, .what = "decision 3"};
  run();
  EXPECT_EQ(said("diverged")["text"], "decision 3");
}

TEST_F(WorkerTest, ATraceThatCouldNotBeWrittenIsTold) {
  runner_.results[10].trace_error = "/nowhere: no such file";
  run();
  EXPECT_EQ(said("trace")["text"], "/nowhere: no such file");
}

// --- The machine's files ---

class WorkerFilesTest : public WorkerTest {
 protected:
  WorkerFilesTest() {
    std::ofstream(std::filesystem::path(given_.path()) / "config") << "given";
    options_.run.files = given_.path();
    options_.scratch = scratch_.path();
  }
  ScratchFolder given_, scratch_;
};

TEST_F(WorkerFilesTest, ASeedGetsACopyOfTheFiles) {
  run();
  const std::string& files = runner_.asked[0].options.run.files;
  EXPECT_NE(files, given_.path());
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(files) / "config"));
}

TEST_F(WorkerFilesTest, FilesThatCannotBeCopiedEndTheBatchWithASentence) {
  options_.run.files = given_.path() + "/nothing";
  EXPECT_EQ(run(), kWorkerDone);
  EXPECT_THAT(runner_.asked, IsEmpty());
  EXPECT_THAT(types(), ElementsAre("error", "end"));
  EXPECT_THAT(said("error")["text"].get<std::string>(), HasSubstr(options_.run.files));
}

// --- Sweeps ---

class WorkerSweepTest : public WorkerTest {
 protected:
  WorkerSweepTest() {
    runner_.by_fault = true;
    command_.scenario = 1;
    command_.sweep = true;
    command_.seed = 40;
    command_.first = 1;
    command_.count = 100;
    runner_.results[1] = places({7, 8}, true);
    runner_.results[2] = places({7, 8, 9}, true);
    runner_.results[3] = places({7, 8, 9}, true);
    runner_.results[4] = places({7, 8, 9}, false);
  }
  static SeedResult places(std::vector<uint64_t> places, bool reached) {
    SeedResult result;
    result.fault_places = std::move(places);
    result.fault_reached = reached;
    return result;
  }
};

TEST_F(WorkerSweepTest, EveryFailureIsInjectedUntilARunComesToNoNewOne) {
  EXPECT_EQ(run(), kWorkerDone);
  EXPECT_THAT(seeds_asked(), ElementsAre(40, 40, 40, 40));
  EXPECT_THAT(types(), ElementsAre("fault", "fault", "fault", "fault", "end"));
  EXPECT_EQ(runner_.asked[2].options.run.fault, 3u);
}

TEST_F(WorkerSweepTest, APlaceIsToldOnce) {
  run();
  EXPECT_EQ(said_[0], Json::parse(R"({"type":"fault","places":[7,8],"place":7})"));
  EXPECT_EQ(said_[1], Json::parse(R"({"type":"fault","places":[9],"place":8})"));
  EXPECT_EQ(said_[3], Json::parse(R"({"type":"fault","places":[]})"));
}

TEST_F(WorkerSweepTest, AfterDamageAnotherWorkerGoesOnWithTheNextFailure) {
  find(2, nt::Violation::Crash);
  EXPECT_EQ(run(), kWorkerTainted);
  EXPECT_THAT(types(), ElementsAre("fault", "finding", "fault", "end"));
  EXPECT_EQ(status_.seed, 2u);
}

TEST_F(WorkerSweepTest, FirstTheSeedIsRunAlone) {
  command_.first = 0;
  find(UINT32_MAX, nt::Violation::DpcUntold);
  EXPECT_EQ(run(), kWorkerDone);
  EXPECT_THAT(seeds_asked(), ElementsAre(40, 40, 40, 40, 40));
  EXPECT_THAT(types(), ElementsAre("fault", "fault", "fault", "fault", "end"));
  EXPECT_EQ(runner_.asked[0].options.run.fault, UINT32_MAX);
  EXPECT_EQ(runner_.asked[1].options.run.fault, 1u);
}

TEST_F(WorkerSweepTest, NothingIsInjectedIntoASeedThatStopsByItself) {
  command_.first = 0;
  runner_.results[UINT32_MAX].ended = nt::Machine::Ended::Stopped;
  EXPECT_EQ(run(), kWorkerDone);
  EXPECT_THAT(runner_.asked, SizeIs(1));
  EXPECT_THAT(types(), ElementsAre("stopped", "end"));
}

TEST_F(WorkerSweepTest, FailingSeedsDoNotEndIt) {
  command_.max_failing = 0;
  find(1, nt::Violation::AssertionFailed);
  EXPECT_EQ(run(), kWorkerDone);
  EXPECT_THAT(runner_.asked, SizeIs(4));
}

}  // namespace
}  // namespace host
