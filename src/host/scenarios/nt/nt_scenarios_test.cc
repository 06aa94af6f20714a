// What the NT scenarios say of drivers on which they can try nothing.
#include "host/scenarios/nt/nt_scenarios.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/run/run_seed.h"

namespace host {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Scenario> device_scenarios() {
  std::vector<Scenario> all = nt_pnp_scenarios();
  for (const Scenario& scenario : nt_request_scenarios()) all.push_back(scenario);
  return all;
}

SeedResult run_on(const char* driver, const Scenario& scenario) {
  auto images = Images::load(driver, {}, {});
  CHECK_MSG(images.ok(), images.error().c_str());
  base::ModuleMap modules;
  verifier::Verifier judge(verifier::Options{.drivers = {images.value().file_name()}}, modules);
  trace::Writer writer;
  return run_seed(images.value(), scenario, 1, {}, judge, writer);
}

TEST(NtScenarios, SkipADriverWithoutADevice) {
  for (const Scenario& scenario : device_scenarios()) {
    SeedResult result = run_on(SAMPLE_DRIVER, scenario);
    EXPECT_THAT(result.skipped, HasSubstr("no AddDevice routine")) << scenario.name;
    EXPECT_THAT(result.incomplete, IsEmpty()) << scenario.name;
    EXPECT_EQ(result.activity.requests, 0u) << scenario.name;
  }
}

TEST(NtScenarios, AreIncompleteWhenTheEntryFails) {
  std::vector<Scenario> all = device_scenarios();
  for (const Scenario& scenario : nt_scenarios()) {
    if (scenario.name != std::string("nt/low-memory")) all.push_back(scenario);  // something fails there on purpose
  }
  for (const Scenario& scenario : all) {
    SeedResult result = run_on(SAMPLE_ENTRY_FAILS, scenario);
    EXPECT_EQ(result.incomplete, "DriverEntry failed with 0xC0000001") << scenario.name;
    EXPECT_THAT(result.skipped, IsEmpty()) << scenario.name;
  }
}

}  // namespace
}  // namespace host
