// No scenario for display drivers passes on a driver that fails, or that accepts every call and does nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/run/run_seed.h"
#include "nt/fault/fault.h"

namespace host {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Needs = Scenario::Needs;

std::string test_driver(const std::string& name) { return OUTCOME_DRIVERS "/" + name + ".so"; }

std::string driver_on_softgpu(const std::string& name) { return OUTCOME_DRIVERS "_softgpu/" + name + ".so"; }

// One driver, or a user-mode driver and the one below it, in one scenario after the other.
class Trial {
 public:
  explicit Trial(const std::string& driver, const std::string& below = {}) {
    nt::install_fault_handlers();
    auto images = Images::load(driver, below, {});
    CHECK_MSG(images.ok(), images.error().c_str());
    images_.emplace(images.take());
    judge_.emplace(verifier::Options{.drivers = {images_->kernel.file_name(), images_->file_name()}}, modules_);
    options_.run.driver = driver;
  }

  SeedResult run(const Scenario& scenario, uint64_t seed = 0) {
    return run_seed(*images_, scenario, seed, options_, *judge_, writer_);
  }
  const auto& findings() const { return judge_->findings(); }
  // The first finding, for a message.
  std::string told() const {
    return findings().empty() ? "" : findings().front().rule + " " + findings().front().sentence;
  }

 private:
  std::optional<Images> images_;
  base::ModuleMap modules_;
  std::optional<verifier::Verifier> judge_;
  trace::Writer writer_;
  SeedOptions options_;
};

std::vector<Scenario> scenarios_for(Needs needs) {
  std::vector<Scenario> chosen;
  for (const Scenario& scenario : all_scenarios()) {
    if (scenario.needs == needs) chosen.push_back(scenario);
  }
  return chosen;
}

// In these something is made to fail, and a driver may refuse everything.
bool fails_on_purpose(const Scenario& scenario) {
  return std::string_view(scenario.name).find("low-memory") != std::string_view::npos;
}

void expect_never_started(Trial& trial, Needs needs, const char* why) {
  for (const Scenario& scenario : scenarios_for(needs)) {
    SCOPED_TRACE(scenario.name);
    SeedResult result = trial.run(scenario);
    EXPECT_THAT(trial.findings(), IsEmpty()) << trial.told();
    EXPECT_EQ(result.activity.submissions, 0u);
    if (fails_on_purpose(scenario)) continue;
    EXPECT_THAT(result.incomplete, HasSubstr("the adapter never started: "));
    EXPECT_THAT(result.incomplete, HasSubstr(why));
  }
}

TEST(GraphicsOutcome, NothingPassesWhereDriverEntryFails) {
  Trial trial(test_driver("entry_fails"));
  expect_never_started(trial, Needs::Graphics, "DriverEntry failed with 0xC000000E");
}

TEST(GraphicsOutcome, NothingPassesWhereTheAdapterNeverStarts) {
  Trial trial(test_driver("start_fails"));
  expect_never_started(trial, Needs::Graphics, "DxgkDdiStartDevice");
}

TEST(GraphicsOutcome, NothingOfAUserModeDriverPassesWhereTheAdapterNeverStarts) {
  Trial trial(SOFTGPU_DRIVERS "/softgpu_umd.so", test_driver("start_fails"));
  expect_never_started(trial, Needs::Umd, "DxgkDdiStartDevice");
}

// The calls until the refusal are counted.
TEST(GraphicsOutcome, TheCallsOfARefusedStartAreCounted) {
  Trial trial(test_driver("start_fails"));
  EXPECT_GE(trial.run(*find_scenarios("alloc/start-stop").front()).activity.ddi_calls, 2u);
}

// Allocations are made and destroyed without the GPU; everything else is found or incomplete, or cannot be tried.
TEST(GraphicsOutcome, NothingThatSubmitsPassesWhereNothingIsDone) {
  Trial trial(test_driver("does_nothing"));
  for (const Scenario& scenario : scenarios_for(Needs::Graphics)) {
    std::string_view name = scenario.name;
    bool submits = name.starts_with("vidsch/") || name.starts_with("vidmm/") || name.starts_with("context-allocation/");
    if (!submits) continue;
    SCOPED_TRACE(scenario.name);
    SeedResult result = trial.run(scenario);
    EXPECT_EQ(result.activity.submissions, 0u);
    EXPECT_TRUE(!trial.findings().empty() || !result.incomplete.empty() || !result.skipped.empty());
  }
}

// --- What fails below a good user-mode driver is not the user-mode driver's fault ---

void expect_incomplete_below(const std::string& kernel_mode_driver, const char* why) {
  Trial trial(SOFTGPU_DRIVERS "/softgpu_umd.so", kernel_mode_driver);
  for (const Scenario& scenario : scenarios_for(Needs::Umd)) {
    SCOPED_TRACE(scenario.name);
    SeedResult result = trial.run(scenario);
    EXPECT_THAT(trial.findings(), IsEmpty()) << trial.told();
    EXPECT_EQ(result.activity.submissions, 0u);
    bool any_failure_is_right = fails_on_purpose(scenario) || std::string_view(scenario.name) == "umd/failing-memory";
    if (any_failure_is_right || !result.skipped.empty()) continue;
    EXPECT_THAT(result.incomplete, HasSubstr(why));
  }
}

TEST(GraphicsOutcome, AUserModeDriverIsNotBlamedWhereTheKernelModeDriverMakesNoDevice) {
  expect_incomplete_below(driver_on_softgpu("softgpu_no_device"),
                          "D3DKMTCreateDevice answered STATUS_NO_MEMORY (0xC0000017): the driver refused the device "
                          "(DxgkDdiCreateDevice)");
}

TEST(GraphicsOutcome, AUserModeDriverIsNotBlamedWhereTheKernelModeDriverMakesNoContext) {
  expect_incomplete_below(driver_on_softgpu("softgpu_no_context"), "(DxgkDdiCreateContext)");
}

TEST(GraphicsOutcome, AUserModeDriverIsNotBlamedForAKernelModeDriverThatDoesNotKnowIt) {
  expect_incomplete_below(test_driver("does_nothing"), "(DxgkDdiQueryAdapterInfo)");
}

// --- Too much memory to be filled is not too little ---

TEST(GraphicsOutcome, ForeignMemoryThatIsSmallIsOversubscribed) {
  Trial trial(driver_on_softgpu("softgpu_foreign"));
  for (const char* name : {"vidmm/oversubscribe-2x", "vidmm/oversubscribe-8x"}) {
    SCOPED_TRACE(name);
    SeedResult result = trial.run(*find_scenarios(name).front());
    EXPECT_THAT(trial.findings(), IsEmpty()) << trial.told();
    EXPECT_EQ(result.incomplete, "");
    EXPECT_EQ(result.skipped, "");
    EXPECT_GT(result.activity.submissions, 0u);
  }
}

TEST(GraphicsOutcome, ForeignMemoryThatIsLargeIsNotSaidToBeOversubscribed) {
  Trial trial(OUTCOME_DRIVERS "_roomy/softgpu_foreign.so");
  for (const char* name : {"vidmm/oversubscribe-2x", "vidmm/oversubscribe-8x"}) {
    SCOPED_TRACE(name);
    SeedResult result = trial.run(*find_scenarios(name).front());
    EXPECT_THAT(trial.findings(), IsEmpty()) << trial.told();
    EXPECT_THAT(result.skipped, HasSubstr("MiB of memory, and more than 16 MiB are not filled here"));
    EXPECT_EQ(result.incomplete, "");
  }
}

TEST(GraphicsOutcome, ADriverWithoutADeviceModelIsToldSo) {
  Trial trial(test_driver("fails_midway"));
  SeedResult result = trial.run(*find_scenarios("vidsch/submit").front());
  EXPECT_THAT(result.incomplete, HasSubstr("no device model is loaded"));
}

TEST(GraphicsOutcome, ADriverThatFailsInTheMiddleIsIncomplete) {
  Trial trial(test_driver("fails_midway"));
  for (const char* name : {"alloc/create-destroy", "alloc/grow", "alloc/shared", "start/standard", "power/sleep",
                           "vidsch/submit", "vidmm/residency"}) {
    SCOPED_TRACE(name);
    SeedResult result = trial.run(*find_scenarios(name).front());
    EXPECT_THAT(result.incomplete, HasSubstr("D3DKMTCreateAllocation2 answered STATUS_NO_MEMORY"));
  }
}

TEST(GraphicsOutcome, SoftgpuCompletesWorkAndLeavesNothingIncomplete) {
  Trial trial(SOFTGPU_DRIVERS "/softgpu.so");
  for (const char* name : {"alloc/create-destroy", "vidsch/submit", "vidsch/hang", "vidmm/residency"}) {
    SCOPED_TRACE(name);
    SeedResult result = trial.run(*find_scenarios(name).front());
    EXPECT_THAT(trial.findings(), IsEmpty()) << trial.told();
    EXPECT_EQ(result.incomplete, "");
    EXPECT_EQ(result.skipped, "");
    EXPECT_EQ(result.activity.submissions > 0, std::string_view(name) != "alloc/create-destroy");
  }
}

TEST(GraphicsOutcome, SoftgpuLeavesNoScenarioIncomplete) {
  Trial trial(SOFTGPU_DRIVERS "/softgpu.so");
  for (const Scenario& scenario : scenarios_for(Needs::Graphics)) {
    for (uint64_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(scenario.name);
      SeedResult result = trial.run(scenario, seed);
      EXPECT_THAT(trial.findings(), IsEmpty()) << trial.told();
      EXPECT_EQ(result.incomplete, "");
    }
  }
}

}  // namespace
}  // namespace host
