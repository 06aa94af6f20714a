// Every rule has a driver that breaks exactly it: found, named, silenced by --off, and quiet in its fixed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "host/driver_image.h"
#include "program.h"
#include "verifier/rules.h"

namespace tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Row {
  std::string name, broke, scenario, seeds, variant;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::vector<Row> table() {
  std::ifstream file(DRYDOCK_SOURCE_DIR "/drivers/bad/nt/TABLE.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);  // headings
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Row row;
    for (std::string* field : {&row.name, &row.broke, &row.scenario, &row.seeds, &row.variant}) {
      std::getline(fields, *field, ',');
    }
    rows.push_back(row);
  }
  return rows;
}

// The rows whose drivers break their rule in this build.
std::vector<Row> rows_of_this_variant() {
  std::vector<Row> rows;
  for (const Row& row : table()) {
    if (row.variant == host::to_string(base::kSanitizer)) rows.push_back(row);
  }
  return rows;
}

std::string rule_of(const Row& row) {
  for (const verifier::Rule& rule : verifier::all_rules()) {
    if (row.broke == nt::to_string(rule.broke)) return rule.id;
  }
  return "no rule for " + row.broke;
}

std::string test_name(const ::testing::TestParamInfo<Row>& info) { return info.param.name; }

// A copy under another name, without symbols: what is found must not depend on them.
std::string stripped_copy(const TemporaryFolder& folder, const std::string& module) {
  std::string copy = folder.path() + "/unnamed.so";
  std::filesystem::copy_file(module, copy);
  EXPECT_EQ(std::system(("strip " + copy).c_str()), 0);
  return copy;
}

TEST(BadDriverTable, HasOneRowForEachRule) {
  std::multiset<std::string> rows, rules;
  for (const Row& row : table()) rows.insert(row.broke);
  for (const verifier::Rule& rule : verifier::all_rules()) rules.insert(nt::to_string(rule.broke));
  EXPECT_EQ(rows, rules);
}

class BadDriver : public ::testing::TestWithParam<Row> {};

TEST_P(BadDriver, BreaksExactlyItsRule) {
  const Row& row = GetParam();
  TemporaryFolder folder;
  std::string module = stripped_copy(folder, driver("bad/nt/" + row.name));
  Outcome found = drydock({"check", module, "--scenario", row.scenario, "--seeds", row.seeds});
  EXPECT_EQ(found.exit_code, 1) << found.out;
  EXPECT_THAT(rules_found(found), ElementsAre(rule_of(row))) << found.out;
  EXPECT_EQ(found.out.find("incomplete"), std::string::npos) << found.out;
}

TEST_P(BadDriver, IsQuietWhenItsRuleIsOff) {
  const Row& row = GetParam();
  Outcome off = drydock(
      {"check", driver("bad/nt/" + row.name), "--scenario", row.scenario, "--seeds", row.seeds, "--off", rule_of(row)});
  EXPECT_THAT(rules_found(off), IsEmpty()) << off.out;
  EXPECT_EQ(off.exit_code, 0) << off.out;
}

TEST_P(BadDriver, IsQuietWhenFixed) {
  const Row& row = GetParam();
  Outcome fixed = drydock({"check", driver("bad/nt/fixed/" + row.name), "--seeds", row.seeds});
  EXPECT_EQ(fixed.exit_code, 0) << fixed.out;
}

INSTANTIATE_TEST_SUITE_P(Nt, BadDriver, ::testing::ValuesIn(rows_of_this_variant()), test_name);

}  // namespace
}  // namespace tests
