// Every rule has a program that breaks exactly it. Here the drivers: found, named, not told of with --off, and quiet in
// their fixed form. The clients: bad_clients_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "bad_table.h"
#include "host/run/driver_image.h"
#include "program.h"
#include "verifier/rules/rules.h"

namespace tests {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

// Without an error. A small driver gives some scenarios too little to do.
const auto kQuiet = AnyOf(0, 4);

// The rows whose drivers break their rule in this build.
std::vector<BadProgram> drivers_of_this_variant(const std::string& folder) {
  std::vector<BadProgram> rows;
  for (const BadProgram& row : bad_programs(folder)) {
    if (row.is_of(host::to_string(base::kSanitizer))) rows.push_back(row);
  }
  return rows;
}

// A copy under a random name, without symbols: what is found must not depend on them. What belongs to it stays beside it.
std::string stripped_copy(const TemporaryFolder& folder, const std::string& module) {
  std::string copy = folder.path() + "/" + std::filesystem::path(folder.path()).filename().string() + ".so";
  std::filesystem::copy_file(module, copy);
  EXPECT_EQ(std::system(("strip " + copy).c_str()), 0);
  for (const char* name : {"device.so", "workload.so"}) {
    std::filesystem::path beside = std::filesystem::path(module).replace_filename(name);
    if (std::filesystem::exists(beside)) std::filesystem::create_symlink(beside, folder.path() + "/" + name);
  }
  return copy;
}

// `drydock check` of a module on what it needs below it.
Outcome check(const BadProgram& row, const std::string& module, std::vector<std::string> more) {
  // A loop without end is found sooner than with the default.
  std::vector<std::string> arguments = {"check", module, "--hang-edges", "2000000"};
  if (row.folder == "umd") arguments.insert(arguments.end(), {"--kmd", driver("softgpu/" + row.driver)});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return drydock(arguments);
}

// A program is the example of its rule, or it says what else it is there for.
TEST(BadProgramTables, HaveOneRowForEachRule) {
  std::set<std::string> examples, shown;
  for (const char* folder : {"nt", "kmd", "ks", "umd", "client", "inf"}) {
    for (const BadProgram& row : bad_programs(folder)) {
      std::string text = row.violation + ": " + row.path();
      EXPECT_TRUE((row.shows.empty() ? examples : shown).insert(text).second) << text;
    }
  }
  for (const verifier::Rule& rule : verifier::all_rules()) {
    std::string text = std::string(nt::to_string(rule.violation)) + ": " + rule.example;
    EXPECT_TRUE(examples.erase(text) || shown.count(text)) << text << " has no row";
  }
  EXPECT_THAT(examples, IsEmpty()) << "neither a rule's example nor there for anything else";
}

class BadDriver : public ::testing::TestWithParam<BadProgram> {};

TEST_P(BadDriver, BreaksExactlyItsRule) {
  const BadProgram& row = GetParam();
  TemporaryFolder folder;
  std::string module = stripped_copy(folder, driver("bad/" + row.path()));
  Outcome found = check(row, module, {"--scenario", row.scenario, "--seeds", row.seeds});
  EXPECT_THAT(rules_found(found), ElementsAre(rule_of(row))) << found.out;
  if (exit_code_of(row) == 0) {
    EXPECT_THAT(found.exit_code, kQuiet) << found.out;
  } else {
    EXPECT_EQ(found.exit_code, exit_code_of(row)) << found.out;
    EXPECT_EQ(found.out.find("could not run"), std::string::npos) << found.out;
  }
}

// The run goes on behind a rule that is off, and may come to what else the driver's fault leads to. Where nothing can
// go on, the scenario is incomplete.
TEST_P(BadDriver, IsNotToldOfARuleThatIsOff) {
  const BadProgram& row = GetParam();
  Outcome off = check(row, driver("bad/" + row.path()),
                      {"--scenario", row.scenario, "--seeds", row.seeds, "--policy", rule_of(row) + "=off"});
  EXPECT_THAT(rules_found(off), Not(Contains(rule_of(row)))) << off.out;
  EXPECT_THAT(off.exit_code, AnyOf(0, 1, 4)) << off.out;
  EXPECT_EQ(off.exit_code == 4, off.out.find("could not run: ") != std::string::npos) << off.out;
}

// In the scenario that shows the fault with as many seeds as that takes, in every other with one.
TEST_P(BadDriver, IsQuietWhenFixed) {
  const BadProgram& row = GetParam();
  Outcome fixed = check(row, driver("bad/" + row.fixed_path()), {"--seeds", "1"});
  EXPECT_THAT(fixed.exit_code, kQuiet) << fixed.out;
  if (row.seeds == "1") return;
  fixed = check(row, driver("bad/" + row.fixed_path()), {"--scenario", row.scenario, "--seeds", row.seeds});
  EXPECT_THAT(fixed.exit_code, kQuiet) << fixed.out;
}

INSTANTIATE_TEST_SUITE_P(Nt, BadDriver, ::testing::ValuesIn(drivers_of_this_variant("nt")), bad_program_name);
INSTANTIATE_TEST_SUITE_P(Kmd, BadDriver, ::testing::ValuesIn(drivers_of_this_variant("kmd")), bad_program_name);
INSTANTIATE_TEST_SUITE_P(Ks, BadDriver, ::testing::ValuesIn(drivers_of_this_variant("ks")), bad_program_name);
INSTANTIATE_TEST_SUITE_P(Umd, BadDriver, ::testing::ValuesIn(drivers_of_this_variant("umd")), bad_program_name);

}  // namespace
}  // namespace tests
