// Every rule for INF files has a file that breaks exactly it, and one that has it right; the bundled drivers have files
// of their own, which break none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "bad_table.h"
#include "inf/lint.h"
#include "verifier/rules/rules.h"

namespace tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kDrivers = DRYDOCK_SOURCE_DIR "/drivers/";

std::vector<std::string> rules_of(const std::string& path, const inf::Facts& facts = {}) {
  std::vector<std::string> out;
  auto findings = inf::lint_package(path, facts);
  EXPECT_TRUE(findings.ok()) << findings.error();
  if (!findings.ok()) return out;
  for (const verifier::Finding& finding : findings.value()) {
    out.push_back(finding.rule);
    EXPECT_EQ(finding.run.driver, path);
    EXPECT_EQ(finding.stacks.at(0).frames.at(0).file, path);
  }
  return out;
}

class BadInf : public ::testing::TestWithParam<BadProgram> {};

TEST_P(BadInf, BreaksExactlyItsRule) {
  const BadProgram& row = GetParam();
  EXPECT_THAT(rules_of(kDrivers + "bad/" + row.path() + ".inf", {.driver_version = row.version}),
              ElementsAre(rule_of(row)));
}

TEST_P(BadInf, IsQuietWhenItIsFixed) {
  const BadProgram& row = GetParam();
  EXPECT_THAT(rules_of(kDrivers + "bad/" + row.fixed_path() + ".inf", {.driver_version = row.version}), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Inf, BadInf, ::testing::ValuesIn(bad_programs("inf")), bad_program_name);

TEST(BadInfTable, HasEveryFileAndEveryRule) {
  std::set<std::string> rows, files, rules, examples;
  for (const BadProgram& row : bad_programs("inf")) {
    rows.insert(row.name + ".inf");
    rules.insert(rule_of(row));
  }
  for (const auto& entry : std::filesystem::directory_iterator(kDrivers + "bad/inf")) {
    if (entry.path().extension() == ".inf") files.insert(entry.path().filename());
  }
  for (const verifier::Rule& rule : verifier::all_rules()) {
    if (std::string_view(rule.example).starts_with("inf/")) examples.insert(rule.id);
  }
  EXPECT_EQ(rows, files);
  EXPECT_EQ(rules, examples);
}

TEST(BundledInf, BreaksNoRule) {
  EXPECT_THAT(
      rules_of(kDrivers + "softgpu/softgpu.inf", {.driver_version = "1.2.0.0", .renders = true, .direct3d = 11}),
      IsEmpty());
  EXPECT_THAT(rules_of(kDrivers + "testcam/testcam.inf"), IsEmpty());
}

}  // namespace
}  // namespace tests
