// Clients of the graphics kernel, each of which breaks one rule of D3DKMT: `drydock run` finds exactly it, and nothing
// in the fixed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bad_table.h"
#include "base/sanitizer.h"
#include "program.h"

namespace tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Outcome run(const BadProgram& row, const std::string& path) {
  return drydock(
      {"run", "--driver", driver("softgpu/" + row.driver), "--", std::string(DRYDOCK_DRIVERS "/bad/") + path});
}

class BadClient : public ::testing::TestWithParam<BadProgram> {
 protected:
  void SetUp() override {
    if (base::kSanitizer != base::Sanitizer::None) GTEST_SKIP() << "libdxcore.so is built without sanitizers only";
  }
};

TEST_P(BadClient, BreaksExactlyItsRule) {
  Outcome found = run(GetParam(), GetParam().path());
  EXPECT_EQ(found.exit_code, exit_code_of(GetParam())) << found.out;
  EXPECT_THAT(rules_found(found), ElementsAre(rule_of(GetParam()))) << found.out;
}

TEST_P(BadClient, IsQuietWhenFixed) {
  Outcome fixed = run(GetParam(), GetParam().fixed_path());
  EXPECT_EQ(fixed.exit_code, 0) << fixed.out;
  EXPECT_THAT(rules_found(fixed), IsEmpty()) << fixed.out;
}

INSTANTIATE_TEST_SUITE_P(Client, BadClient, ::testing::ValuesIn(bad_programs("client")), bad_program_name);

}  // namespace
}  // namespace tests
