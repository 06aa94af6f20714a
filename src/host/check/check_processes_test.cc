#include "host/check/check_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include "host/check/check_coordinator.h"
#include "host/testing/fake_zygote_body.h"
#include "host/testing/leftovers.h"

namespace host {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void never_run(ScenarioContext&) {}

constexpr Scenario kScenario{.name = "fake/one", .story = "", .run = never_run};

// Real processes, whose seeds are functions of the test. Time stands still unless the test moves it.
class CheckProcessesTest : public ::testing::Test {
 protected:
  CheckProcessesTest() {
    options_.run.driver = "fake.so";
    options_.scenarios = {&kScenario};
    options_.seeds = 20;
    options_.jobs = 2;
    options_.max_failing_seeds = 1000;
    clock_.now = [this] { return CheckClock::Time(std::chrono::seconds(*now_s_)); };
    clock_.poll_ms = 1;
  }

  CheckResult check() {
    const size_t descriptors = open_descriptors();
    CheckResult result = check_in_processes(options_, watch_, body_, clock_);
    EXPECT_FALSE(has_children());
    EXPECT_EQ(open_descriptors(), descriptors);
    return result;
  }
  std::vector<int> runs_of_seeds() const {
    std::vector<int> runs;
    for (uint64_t seed = 0; seed < options_.seeds; ++seed) runs.push_back(body_.runs_of(seed));
    return runs;
  }
  // Time passes for as long as the process lives.
  [[noreturn]] void hang() const {
    for (;;) {
      *now_s_ += 1000;
      sched_yield();
    }
  }

  CheckOptions options_;
  Watch watch_;
  FakeZygoteBody body_;
  Shared<std::atomic<int64_t>> now_s_;
  CheckClock clock_;
};

TEST_F(CheckProcessesTest, EverySeedIsRunOnce) {
  CheckResult result = check();
  EXPECT_THAT(runs_of_seeds(), Each(1));
  EXPECT_EQ(result.scenarios[0].seeds_run, 20u);
  EXPECT_EQ(result.scenarios[0].failing_seeds, 0u);
  EXPECT_THAT(result.incomplete, IsEmpty());
}

TEST_F(CheckProcessesTest, ManyWorkersAtOnceRunEverySeedOnce) {
  options_.jobs = 5;
  options_.seeds = 200;
  CheckResult result = check();
  EXPECT_THAT(runs_of_seeds(), Each(1));
  EXPECT_EQ(result.scenarios[0].seeds_run, 200u);
}

TEST_F(CheckProcessesTest, WhenAWorkerIsKilledAnotherRunsTheSeedsItHadLeft) {
  body_.seed = [](uint64_t seed, int) {
    if (seed % 5 == 3) kill(getpid(), SIGKILL);
    return false;
  };
  CheckResult result = check();
  EXPECT_THAT(runs_of_seeds(), Each(1));
  EXPECT_EQ(result.scenarios[0].seeds_run, 20u);
  EXPECT_EQ(result.scenarios[0].failing_seeds, 4u);
  EXPECT_THAT(result.incomplete, SizeIs(4));
  EXPECT_THAT(result.incomplete, Contains("fake/one --seed 13: the process died with signal 9 (Killed)"));
}

TEST_F(CheckProcessesTest, WhenAWorkerEndsWithoutAnAnswerAnotherRunsTheSeedsItHadLeft) {
  body_.seed = [](uint64_t seed, int) -> bool {
    if (seed == 7) _exit(kWorkerDone);
    if (seed == 9) _exit(kWorkerTainted);
    return false;
  };
  CheckResult result = check();
  EXPECT_THAT(runs_of_seeds(), Each(1));
  EXPECT_EQ(result.scenarios[0].seeds_run, 20u);
  EXPECT_THAT(result.incomplete, ElementsAre("fake/one --seed 7: the process died with exit code 0",
                                             "fake/one --seed 9: the process died with exit code 10"));
}

TEST_F(CheckProcessesTest, AWorkerThatDiesInTheMiddleOfALineHoldsNothingUp) {
  body_.seed = [](uint64_t seed, int out) {
    if (seed != 4) return false;
    constexpr std::string_view kHalf = R"({"type":"find)";
    if (write(out, kHalf.data(), kHalf.size()) < 0) _exit(1);
    kill(getpid(), SIGKILL);
    return false;
  };
  CheckResult result = check();
  EXPECT_THAT(runs_of_seeds(), Each(1));
  EXPECT_THAT(result.incomplete, ElementsAre(HasSubstr("--seed 4: the process died with signal 9")));
}

TEST_F(CheckProcessesTest, LinesLongerThanAPipeComeWhole) {
  options_.seeds = 1;
  verifier::Finding finding = finding_of(nt::Violation::Crash, std::string(300'000, 'x'), "fake/one", 0);
  body_.seed = [&](uint64_t, int out) {
    std::string line = finding_line(finding) + "\n";
    for (size_t done = 0; done < line.size();) {
      ssize_t wrote = write(out, line.data() + done, line.size() - done);
      if (wrote < 0) _exit(1);
      done += static_cast<size_t>(wrote);
    }
    return true;
  };
  CheckResult result = check();
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_EQ(result.findings[0].finding.sentence, finding.sentence);
}

TEST_F(CheckProcessesTest, AFindingIsConfirmedInAFreshProcess) {
  Shared<std::atomic<pid_t>> first, second;
  body_.seed = [&](uint64_t seed, int out) {
    if (seed != 11) return false;
    (*first ? *second : *first) = getpid();
    FakeZygoteBody::say(out, finding_line(finding_of(nt::Violation::Crash, "it fell over", "fake/one", seed)));
    return true;
  };
  CheckResult result = check();
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_TRUE(result.findings[0].confirmed);
  EXPECT_EQ(body_.runs_of(11), 2);
  EXPECT_NE(*second, 0);
  EXPECT_NE(*first, *second);
  EXPECT_EQ(result.scenarios[0].seeds_run, 20u);
}

TEST_F(CheckProcessesTest, AFindingThatIsNotSeenAgainIsNotConfirmed) {
  Shared<std::atomic<int>> runs;
  body_.seed = [&](uint64_t seed, int out) {
    if (seed != 11 || (*runs)++ > 0) return false;
    FakeZygoteBody::say(out, finding_line(finding_of(nt::Violation::Crash, "it fell over", "fake/one", seed)));
    return true;
  };
  CheckResult result = check();
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_FALSE(result.findings[0].confirmed);
}

TEST_F(CheckProcessesTest, AWorkerThatHangsIsKilledAndAnotherRunsTheSeedsItHadLeft) {
  options_.jobs = 1;  // time that passes for one that hangs would pass for its neighbour
  options_.wall_limit_s = 60;
  body_.seed = [this](uint64_t seed, int) {
    if (seed == 5) hang();
    return false;
  };
  CheckResult result = check();
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_EQ(result.findings[0].finding.rule, verifier::finding_for(nt::Violation::Hang).rule);
  EXPECT_EQ(result.findings[0].finding.run.seed, 5u);
  EXPECT_TRUE(result.findings[0].confirmed);
  EXPECT_EQ(result.scenarios[0].seeds_run, 20u);
  EXPECT_EQ(result.scenarios[0].failing_seeds, 1u);
  std::vector<int> runs = runs_of_seeds();
  EXPECT_EQ(runs[5], 2) << "once to find it, once to confirm it";
  runs[5] = 1;
  EXPECT_THAT(runs, Each(1));
  EXPECT_THAT(result.incomplete, IsEmpty());
}

TEST_F(CheckProcessesTest, AWorkerIsGivenItsTimeAnewWithEverySeed) {
  options_.jobs = 1;
  options_.wall_limit_s = 60;
  Shared<std::atomic<int>> looks;  // that the checking process took at the clock
  clock_.now = [&, now = clock_.now] {
    ++*looks;
    return now();
  };
  body_.seed = [&](uint64_t, int) {
    // The look that is under way may not have seen that the last seed ended; the one after it has.
    for (int begun = *looks; *looks < begun + 2;) sched_yield();
    *now_s_ += 50;
    return false;
  };
  CheckResult result = check();
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.scenarios[0].seeds_run, 20u);
}

TEST_F(CheckProcessesTest, SeedsThatTheTimeLimitCostAreLeftOut) {
  options_.jobs = 1;
  options_.time_limit_s = 10;
  body_.seed = [this](uint64_t, int) {
    *now_s_ = 10;
    return false;
  };
  CheckResult result = check();
  EXPECT_EQ(result.scenarios[0].seeds_run, 2u) << "a batch that has begun is finished";
  EXPECT_EQ(result.left_out, 18u);
  EXPECT_EQ(body_.runs_of(2), 0);
}

TEST_F(CheckProcessesTest, TimeThatIsToBeFilledIsFilled) {
  options_.jobs = 1;
  options_.seeds = 2;
  options_.time_limit_s = 10;
  options_.fill_time = true;
  body_.seed = [this](uint64_t seed, int) {
    if (seed == 30) *now_s_ = 10;
    return false;
  };
  CheckResult result = check();
  EXPECT_EQ(result.scenarios[0].seeds_run, 34u) << "two, and two further rounds";
  EXPECT_EQ(result.left_out, 0u);
}

TEST_F(CheckProcessesTest, AnInterruptionEndsTheWorkersAndKeepsWhatTheySaid) {
  options_.seeds = 1'000'000;
  Shared<std::atomic<bool>> found;
  watch_.found = [&](const verifier::Finding&) { *found = true; };
  watch_.interrupted = [&] { return found->load(); };
  body_.seed = [](uint64_t seed, int out) {
    if (seed == 3) {
      FakeZygoteBody::say(out, finding_line(finding_of(nt::Violation::Crash, "it fell over", "fake/one", seed)));
    }
    if (seed > 4) {
      for (;;) pause();  // ends with its zygote
    }
    return seed == 3;
  };
  CheckResult result = check();
  EXPECT_TRUE(result.interrupted);
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_FALSE(result.findings[0].confirmed);
  EXPECT_EQ(result.scenarios[0].outcome, verifier::Outcome::Found);
  EXPECT_EQ(result.scenarios[0].seeds_run + result.left_out, options_.seeds);
}

TEST_F(CheckProcessesTest, WhenAZygoteDiesAnotherRunsTheSeedsItHadLeft) {
  body_.seed = [](uint64_t seed, int) -> bool {
    if (seed != 8) return false;
    kill(getppid(), SIGKILL);
    for (;;) pause();  // ends with its zygote
  };
  CheckResult result = check();
  EXPECT_THAT(runs_of_seeds(), Each(1));
  EXPECT_THAT(result.incomplete, ElementsAre("the process that had loaded the driver died"));
  EXPECT_EQ(result.scenarios[0].seeds_run, 20u);
  EXPECT_EQ(result.scenarios[0].failing_seeds, 1u);
}

TEST_F(CheckProcessesTest, WhenNoZygoteIsLeftTheCheckEndsAndSaysSo) {
  body_.seed = [](uint64_t, int) -> bool {
    kill(getppid(), SIGKILL);
    for (;;) pause();
  };
  CheckResult result = check();
  EXPECT_EQ(result.scenarios[0].seeds_run, 2u);
  EXPECT_EQ(result.scenarios[0].outcome, verifier::Outcome::Incomplete);
  EXPECT_THAT(result.incomplete,
              ElementsAre("the process that had loaded the driver died", "the process that had loaded the driver died",
                          "no process is left that can run the driver"));
}

TEST_F(CheckProcessesTest, ADriverThatKillsItsProcessWhileItIsLoadedIsIncomplete) {
  body_.loading = [](std::string*) {
    kill(getpid(), SIGKILL);
    return true;
  };
  CheckResult result = check();
  EXPECT_EQ(body_.workers(), 0);
  EXPECT_THAT(result.incomplete, Contains("no process is left that can run the driver"));
}

TEST_F(CheckProcessesTest, ADriverThatCannotBeLoadedIsRefusedWithItsSentence) {
  body_.loading = [](std::string* error) {
    *error = "fake.so: is no driver";
    return false;
  };
  CheckResult result = check();
  EXPECT_EQ(result.usage_error, "fake.so: is no driver");
  EXPECT_EQ(body_.workers(), 0);
  EXPECT_THAT(result.incomplete, IsEmpty());
}

TEST_F(CheckProcessesTest, ACheckOfOursThatFailsInAWorkerIsOurFault) {
  body_.seed = [](uint64_t seed, int) {
    if (seed == 4) _exit(kWorkerOurFault);
    return false;
  };
  CheckResult result = check();
  EXPECT_THAT(result.our_faults, ElementsAre("fake/one --seed 4"));
  EXPECT_EQ(result.scenarios[0].seeds_run, 20u);
}

}  // namespace
}  // namespace host
