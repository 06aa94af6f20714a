#include "verifier/catalogue/catalogue.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/csv_table.h"

namespace verifier {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::Not;

const fs::path kRoot = DRYDOCK_SOURCE_DIR;

// Every requirement of the documentation has a number in a family, and these are all there are. Rules that go beyond
// them have higher numbers or families of their own.
struct Family {
  const char* name;
  int count;
  const char* form;
};
constexpr Family kWddm[] = {{"KD", 33, "{}-{:02}"}, {"KC", 21, "{}-{:02}"}, {"SH", 22, "{}-{:02}"},
                            {"UR", 32, "{}-{:02}"}, {"CB", 17, "{}-{:02}"}, {"US", 24, "{}-{:02}"},
                            {"CA", 24, "{}-{:02}"}, {"OC", 17, "{}-{:02}"}, {"DA", 19, "{}-{:02}"},
                            {"CX", 19, "{}-{:02}"}, {"HN", 8, "{}-{:02}"},  {"RS", 19, "{}-{:02}"},
                            {"TH", 4, "{}-{:02}"},  {"TD", 6, "{}-{:02}"},  {"TR", 7, "{}-{:02}"},
                            {"SR", 6, "{}-{:02}"},  {"AB", 6, "{}-{:02}"}};
// Of every kernel-mode driver, and of packages: only what no rule looks at is listed by number.
constexpr Family kOther[] = {{"NR", 25, "{}-{:02}"}, {"PR", 5, "{}-{:02}"}};
constexpr Family kKs[] = {{"A", 21, "{}-{:02}"}, {"L", 22, "{}-{:02}"}, {"Q", 21, "{}-{:02}"}, {"P", 4, "{}-{}"}};

std::vector<std::string> ids_of(std::span<const Family> families) {
  std::vector<std::string> ids;
  for (const Family& family : families) {
    for (int i = 1; i <= family.count; ++i) ids.push_back(fmt::format(fmt::runtime(family.form), family.name, i));
  }
  return ids;
}

bool is_checked(const std::string& id) {
  const Requirement* row = find_requirement(id);
  return find_rule(id) || (row && row->state == State::Checked);
}

size_t count_checked(std::span<const Family> families) {
  auto ids = ids_of(families);
  return static_cast<size_t>(std::count_if(ids.begin(), ids.end(), is_checked));
}

// A row of drivers/bad/*/TABLE.csv: which violation the program is found out by, and what it shows beside.
struct BadProgram {
  std::string violation;
  std::vector<std::string> shows;
};

std::map<std::string, BadProgram> bad_programs() {
  std::map<std::string, BadProgram> programs;
  for (const char* folder : {"nt", "client", "umd", "kmd", "ks", "inf"}) {
    auto read = base::CsvTable::read(kRoot / "drivers/bad" / folder / "TABLE.csv", {"name", "violation"});
    EXPECT_TRUE(read.ok()) << read.error();
    base::CsvTable table = read.take();
    for (size_t row = 0; row < table.size(); ++row) {
      BadProgram& program = programs[std::string(folder) + "/" + table.at(row, "name")];
      program.violation = table.at(row, "violation");
      std::istringstream ids(table.at(row, "shows"));
      for (std::string id; ids >> id;) program.shows.push_back(id);
    }
  }
  return programs;
}

// "layer.Suite.Test" of every test in the tree.
std::set<std::string> all_tests() {
  static const std::regex kTest(R"((?:^|\n)(?:TYPED_)?TEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  std::set<std::string> names;
  auto read = [&](const std::string& layer, const fs::path& path) {
    std::ifstream file(path);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (std::sregex_iterator at(text.begin(), text.end(), kTest), end; at != end; ++at) {
      names.insert(layer + "." + (*at)[1].str() + "." + (*at)[2].str());
    }
  };
  for (const char* folder : {"src", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (!entry.path().string().ends_with("_test.cc")) continue;
      std::string below = fs::relative(entry.path(), kRoot / folder).string();
      read(std::string(folder) == "tests" ? "tests" : below.substr(0, below.find('/')), entry.path());
    }
  }
  return names;
}

void expect_shown(const char* id, const char* rule_id, const char* program,
                  const std::map<std::string, BadProgram>& programs) {
  SCOPED_TRACE(id);
  const Rule* rule = find_rule(rule_id);
  ASSERT_NE(rule, nullptr) << "no rule " << rule_id;
  auto found = programs.find(program);
  ASSERT_NE(found, programs.end()) << "no program " << program;
  EXPECT_EQ(found->second.violation, nt::to_string(rule->violation)) << program;
  EXPECT_THAT(found->second.shows, Contains(id)) << program;
}

TEST(Catalogue, EachIdIsThereOnce) {
  std::map<std::string, int> seen;
  for (const Rule& rule : all_rules()) ++seen[rule.id];
  for (const Requirement& row : all_requirements()) ++seen[row.id];
  for (const auto& [id, times] : seen) EXPECT_EQ(times, 1) << id;
  std::set<std::string> failures;
  for (const RealFailure& row : all_failures()) EXPECT_TRUE(failures.insert(row.id).second) << row.id;
}

TEST(Catalogue, EveryRequirementHasARow) {
  std::vector<std::string> missing;
  for (std::span<const Family> families :
       {std::span<const Family>(kWddm), std::span<const Family>(kKs), std::span<const Family>(kOther)}) {
    for (const std::string& id : ids_of(families)) {
      if (!find_rule(id) && !find_requirement(id)) missing.push_back(id);
    }
  }
  EXPECT_THAT(missing, IsEmpty());
}

TEST(Catalogue, HasNoRowsWithUnknownIds) {
  std::vector<std::string> known = ids_of(kWddm), ks = ids_of(kKs), other = ids_of(kOther);
  known.insert(known.end(), ks.begin(), ks.end());
  known.insert(known.end(), other.begin(), other.end());
  for (const Requirement& row : all_requirements()) EXPECT_THAT(known, Contains(row.id));
}

TEST(Catalogue, EnoughIsChecked) {
  EXPECT_GE(count_checked(kWddm), 150u);
  EXPECT_GE(count_checked(kKs), 45u);
}

TEST(Catalogue, EveryRowIsFilledIn) {
  std::regex page("(kernel|devtest|debugger|display|driversecurity|install|stream|ddi/[a-z0-9]+)/[a-z0-9_-]+");
  std::regex since("Windows (2000|XP|Vista|7|8|8\\.1|10|11)|WDDM [1-3]\\.[0-9]");
  for (const Requirement& row : all_requirements()) {
    SCOPED_TRACE(row.id);
    EXPECT_THAT(row.title, Not(EndsWith(".")));
    EXPECT_THAT(row.requirement, EndsWith("."));
    EXPECT_TRUE(std::regex_match(row.since, since)) << row.since;
    ASSERT_NE(row.pages[0], nullptr) << "a requirement without a page has no provenance";
    for (const char* name : row.pages) EXPECT_TRUE(!name || std::regex_match(name, page)) << name;
    if (row.state == State::Checked || row.state == State::Guaranteed) continue;
    EXPECT_THAT(row.proof, EndsWith("."));
  }
  for (const RealFailure& row : all_failures()) {
    SCOPED_TRACE(row.id);
    EXPECT_THAT(row.what, EndsWith("."));
    EXPECT_THAT(row.windows, EndsWith("."));
    EXPECT_STRNE(row.source, "");
    if (row.caught()) continue;
    EXPECT_THAT(row.proof, EndsWith("."));
  }
}

// "Not checkable" is for what nothing here could see. Where only a part of Windows is missing, the row says so.
TEST(Catalogue, WhatIsNotBuiltIsNotCalledUncheckable) {
  for (const char* id : {"SH-20", "KD-31", "DA-19", "CA-21", "OC-08", "DA-16", "CX-04", "CB-17", "US-17"}) {
    const Requirement* row = find_requirement(id);
    EXPECT_TRUE(find_rule(id) || (row && row->state != State::Unchecked)) << id;
  }
  for (const Requirement& row : all_requirements()) {
    if (row.state != State::Unchecked) continue;
    EXPECT_THAT(row.proof, Not(::testing::HasSubstr("not there"))) << row.id;
    EXPECT_THAT(row.proof, Not(::testing::HasSubstr(" yet"))) << row.id;
  }
}

TEST(Catalogue, EveryRuleHasAProgramThatBreaksIt) {
  auto programs = bad_programs();
  for (const Rule& rule : all_rules()) {
    auto found = programs.find(rule.example);
    EXPECT_TRUE(found != programs.end() && found->second.violation == nt::to_string(rule.violation)) << rule.example;
  }
}

TEST(Catalogue, WhatIsCheckedIsShown) {
  auto programs = bad_programs();
  for (const Requirement& row : all_requirements()) {
    if (row.state == State::Checked) expect_shown(row.id, row.rule, row.proof, programs);
  }
  for (const RealFailure& row : all_failures()) {
    if (row.caught()) expect_shown(row.id, row.rule, row.proof, programs);
  }
}

TEST(Catalogue, WhatIsShownIsKnown) {
  for (const auto& [program, row] : bad_programs()) {
    for (const std::string& id : row.shows) {
      EXPECT_TRUE(find_rule(id) || find_requirement(id) || find_failure(id)) << program << " shows " << id;
    }
  }
}

TEST(Catalogue, WhatIsGuaranteedIsTested) {
  auto tests = all_tests();
  ASSERT_GT(tests.size(), 2000u);
  for (const Requirement& row : all_requirements()) {
    if (row.state == State::Guaranteed) {
      EXPECT_TRUE(tests.count(row.proof)) << row.id << ": there is no test " << row.proof;
    }
  }
}

// We have not run Windows ourselves: what it does is documented, or observed by others, or our policy, and the text
// must say which.
TEST(Catalogue, EveryClaimAboutWindowsNamesItsSource) {
  std::regex claim("(as|like|same as) (on|in|under) (real )?Windows|(as|like|what) Windows does");
  std::regex source("document|observed|policy|page");
  auto expect_sourced = [&](const char* id, const char* text) {
    if (!text || !std::regex_search(text, claim)) return;
    EXPECT_TRUE(std::regex_search(text, source)) << id << ": " << text;
  };
  for (const Rule& rule : all_rules()) {
    for (const char* text : {rule.title, rule.requirement, rule.windows, rule.check}) expect_sourced(rule.id, text);
  }
  for (const Requirement& row : all_requirements()) {
    for (const char* text : {row.title, row.requirement, row.proof}) expect_sourced(row.id, text);
  }
  EXPECT_TRUE(std::regex_search("It fails as on Windows.", claim)) << "the claim would be seen";
}

TEST(Catalogue, FindsByIdInAnyCase) {
  ASSERT_NE(find_requirement("KD-02"), nullptr);
  EXPECT_EQ(find_requirement("kd-02"), find_requirement("KD-02"));
  EXPECT_EQ(find_requirement("KD-99"), nullptr);
  EXPECT_EQ(find_requirement(""), nullptr);
  EXPECT_EQ(find_failure("XX-99"), nullptr);
}

TEST(Catalogue, AreasFollowTheExample) {
  EXPECT_EQ(area_of(*find_rule("NT-POOL-06")), Area::Nt);
  EXPECT_EQ(area_of(*find_rule("CA-07")), Area::Kmd);
  EXPECT_EQ(area_of(*find_rule("KD-01")), Area::Client);
  EXPECT_EQ(area_of(*find_rule("UR-05")), Area::Umd);
  EXPECT_EQ(area_of(*find_rule("A-06")), Area::Ks);
}

}  // namespace
}  // namespace verifier
