// The reference drivers through every scenario of the graphics kernel: nothing is found, and the same seed gives the
// same run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "base/sanitizer.h"
#include "program.h"

namespace tests {
namespace {

using ::testing::HasSubstr;

constexpr bool kPlain = base::kSanitizer == base::Sanitizer::None;

class SoftgpuIsQuiet : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(SoftgpuIsQuiet, OverManySeeds) {
  auto [profile, scenarios] = GetParam();
  Outcome outcome = drydock(
      {"check", driver(std::string("softgpu/") + profile), "--scenario", scenarios, "--seeds", kPlain ? "16" : "3"});
  // A compute-only driver describes no surface that a client without its private data could ask for.
  const bool untriable = std::string(profile) == "softgpu_compute" && std::string(scenarios) == "alloc/*";
  EXPECT_EQ(outcome.exit_code, untriable ? 4 : 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(" passed\n"));
}

INSTANTIATE_TEST_SUITE_P(Scenarios, SoftgpuIsQuiet,
                         ::testing::Combine(::testing::Values("softgpu", "softgpu_physical", "softgpu_compute"),
                                            ::testing::Values("alloc/*", "vidsch/*", "vidmm/*",
                                                              "context-allocation/*")),
                         [](const auto& test) {
                           std::string scenarios = std::get<1>(test.param);
                           scenarios = scenarios.substr(0, scenarios.find_first_of("-/"));
                           return std::string(std::get<0>(test.param)) + "_" + scenarios;
                         });

// Two threads, paging, interrupts and resets between the first event and the last.
TEST(SoftgpuRuns, AreTheSameForTheSameSeed) {
  for (const char* scenario : {"vidmm/oversubscribe-2x", "vidsch/adapter-reset"}) {
    std::vector<std::string> arguments = {"check", driver("softgpu/softgpu"), "--scenario", scenario, "--seeds", "3",
                                          "--hash"};
    Outcome first = drydock(arguments), second = drydock(arguments);
    EXPECT_EQ(first.exit_code, 0) << first.out;
    EXPECT_THAT(first.out, HasSubstr("hash "));
    EXPECT_EQ(first.out, second.out);
  }
}

}  // namespace
}  // namespace tests
