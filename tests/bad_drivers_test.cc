// Every rule has a program that breaks exactly it. Here the drivers: found, named, silenced by --off, and quiet in
// their fixed form. The clients: bad_clients_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "bad_table.h"
#include "host/driver_image.h"
#include "program.h"
#include "verifier/rules.h"

namespace tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The rows whose drivers break their rule in this build.
std::vector<BadProgram> drivers_of_this_variant(const std::string& folder) {
  std::vector<BadProgram> rows;
  for (const BadProgram& row : bad_programs(folder)) {
    if (row.variant == host::to_string(base::kSanitizer)) rows.push_back(row);
  }
  return rows;
}

// A copy under another name, without symbols: what is found must not depend on them. Its hardware stays beside it.
std::string stripped_copy(const TemporaryFolder& folder, const std::string& module) {
  std::string copy = folder.path() + "/unnamed.so";
  std::filesystem::copy_file(module, copy);
  EXPECT_EQ(std::system(("strip " + copy).c_str()), 0);
  std::filesystem::path device = std::filesystem::path(module).replace_filename("device.so");
  if (std::filesystem::exists(device)) std::filesystem::create_symlink(device, folder.path() + "/device.so");
  return copy;
}

// `drydock check` of a module on what it needs below it.
Outcome check(const BadProgram& row, const std::string& module, std::vector<std::string> more) {
  std::vector<std::string> arguments = {"check", module, "--seeds", row.seeds};
  if (row.folder == "umd") arguments.insert(arguments.end(), {"--kmd", driver("softgpu/" + row.driver)});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return drydock(arguments);
}

TEST(BadProgramTables, HaveOneRowForEachRule) {
  std::multiset<std::string> rows, rules;
  for (const char* folder : {"nt", "kmd", "ks", "umd", "client"}) {
    for (const BadProgram& row : bad_programs(folder)) rows.insert(row.broke + ": " + row.path());
  }
  for (const verifier::Rule& rule : verifier::all_rules()) {
    rules.insert(std::string(nt::to_string(rule.broke)) + ": " + rule.example);
  }
  std::vector<std::string> without_program, without_rule;
  std::ranges::set_difference(rules, rows, std::back_inserter(without_program));
  std::ranges::set_difference(rows, rules, std::back_inserter(without_rule));
  EXPECT_THAT(without_program, IsEmpty());
  EXPECT_THAT(without_rule, IsEmpty());
}

class BadDriver : public ::testing::TestWithParam<BadProgram> {};

TEST_P(BadDriver, BreaksExactlyItsRule) {
  const BadProgram& row = GetParam();
  TemporaryFolder folder;
  std::string module = stripped_copy(folder, driver("bad/" + row.path()));
  Outcome found = check(row, module, {"--scenario", row.scenario});
  EXPECT_EQ(found.exit_code, 1) << found.out;
  EXPECT_THAT(rules_found(found), ElementsAre(rule_of(row))) << found.out;
  EXPECT_EQ(found.out.find("incomplete"), std::string::npos) << found.out;
}

TEST_P(BadDriver, IsQuietWhenItsRuleIsOff) {
  const BadProgram& row = GetParam();
  Outcome off = check(row, driver("bad/" + row.path()), {"--scenario", row.scenario, "--off", rule_of(row)});
  EXPECT_THAT(rules_found(off), IsEmpty()) << off.out;
  EXPECT_EQ(off.exit_code, 0) << off.out;
}

TEST_P(BadDriver, IsQuietWhenFixed) {
  const BadProgram& row = GetParam();
  Outcome fixed = check(row, driver("bad/" + row.fixed_path()), {});
  EXPECT_EQ(fixed.exit_code, 0) << fixed.out;
}

INSTANTIATE_TEST_SUITE_P(Nt, BadDriver, ::testing::ValuesIn(drivers_of_this_variant("nt")), bad_program_name);
INSTANTIATE_TEST_SUITE_P(Kmd, BadDriver, ::testing::ValuesIn(drivers_of_this_variant("kmd")), bad_program_name);
INSTANTIATE_TEST_SUITE_P(Ks, BadDriver, ::testing::ValuesIn(drivers_of_this_variant("ks")), bad_program_name);
INSTANTIATE_TEST_SUITE_P(Umd, BadDriver, ::testing::ValuesIn(drivers_of_this_variant("umd")), bad_program_name);

}  // namespace
}  // namespace tests
