// The reference user-mode driver through every scenario, above both kinds of kernel-mode drivers: nothing is found, and
// the same seed gives the same run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "base/sanitizer.h"
#include "program.h"

namespace tests {
namespace {

using ::testing::HasSubstr;

constexpr bool kPlain = base::kSanitizer == base::Sanitizer::None;

class SoftgpuUmdIsQuiet : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(SoftgpuUmdIsQuiet, OverManySeeds) {
  auto [kernel_driver, scenario] = GetParam();
  Outcome outcome =
      drydock({"check", driver("softgpu/softgpu_umd"), "--kmd", driver(std::string("softgpu/") + kernel_driver),
               "--scenario", scenario, "--seeds", kPlain ? "24" : "4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(" passed\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Scenarios, SoftgpuUmdIsQuiet,
    ::testing::Combine(::testing::Values("softgpu", "softgpu_physical"),
                       ::testing::Values("umd/life", "umd/draw", "umd/group", "umd/shared", "umd/deferral",
                                         "umd/failing-callbacks", "umd/failing-memory", "umd/lost-device",
                                         "umd/removed", "umd/two-devices", "umd11/life", "umd11/draw", "umd11/shared",
                                         "umd11/threads", "umd11/failing", "umd11/primary", "umd11/flip")),
    [](const auto& test) {
      std::string name = std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
      for (char& each : name) {
        if (each == '/' || each == '-') each = '_';
      }
      return name;
    });

// Two threads of one program, and a device that is lost in the middle.
TEST(SoftgpuUmdRuns, AreTheSameForTheSameSeed) {
  for (const char* scenario : {"umd/two-devices", "umd/lost-device"}) {
    std::vector<std::string> arguments = {
        "check", driver("softgpu/softgpu_umd"), "--scenario", scenario, "--seeds", "3", "--hash"};
    Outcome first = drydock(arguments), second = drydock(arguments);
    EXPECT_EQ(first.exit_code, 0) << first.out;
    EXPECT_THAT(first.out, HasSubstr("hash "));
    EXPECT_EQ(first.out, second.out);
  }
}

}  // namespace
}  // namespace tests
