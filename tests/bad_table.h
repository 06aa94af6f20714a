#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "verifier/rules.h"

namespace tests {

// A row of drivers/bad/*/TABLE.csv: a program that breaks one rule, and where that shows.
struct BadProgram {
  std::string folder;  // "nt", "kmd", "ks", "umd", "client", "inf"
  std::string name, broke;
  std::string scenario, seeds, variant;  // of a driver
  std::string driver;                    // of a client or a user-mode driver: what is below, softgpu if it says nothing
  std::string fixed, version;            // of an INF file: the one that has it right, the driver's version if known
  std::string shows;                     // beside its rule: ids of the catalogue, separated by blanks

  std::string path() const { return folder + "/" + name; }
  std::string fixed_path() const { return folder + "/fixed/" + (fixed.empty() ? name : fixed); }
};

inline void PrintTo(const BadProgram& row, std::ostream* out) { *out << row.path(); }

inline std::vector<BadProgram> bad_programs(const std::string& folder) {
  std::ifstream file(DRYDOCK_SOURCE_DIR "/drivers/bad/" + folder + "/TABLE.csv");
  EXPECT_TRUE(file) << folder;
  std::vector<BadProgram> rows;
  std::string line;
  std::getline(file, line);  // headings
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    BadProgram row;
    row.folder = folder;
    std::string entry;  // the build's
    std::vector<std::string*> columns = {&row.name,    &row.broke,  &row.scenario, &row.seeds,
                                         &row.variant, &row.driver, &row.shows};
    if (folder == "client") columns = {&row.name, &row.broke, &row.driver, &row.shows};
    if (folder == "inf") columns = {&row.name, &row.broke, &row.fixed, &row.version, &row.shows};
    if (folder == "umd") columns.insert(columns.end() - 1, &entry);
    for (std::string* column : columns) std::getline(fields, *column, ',');
    if (row.driver.empty()) row.driver = "softgpu";
    rows.push_back(row);
  }
  return rows;
}

// The id of the rule that it breaks.
inline std::string rule_of(const BadProgram& row) {
  for (const verifier::Rule& rule : verifier::all_rules()) {
    if (row.broke == nt::to_string(rule.broke)) return rule.id;
  }
  return "no rule for " + row.broke;
}

// What `drydock` exits with when it finds that rule broken and no other: a warning fails nothing.
inline int exit_code_of(const BadProgram& row) {
  const verifier::Rule* rule = verifier::find_rule(rule_of(row));
  return rule && verifier::level_of(rule->rule_class) == verifier::Level::Warning ? 0 : 1;
}

inline std::string bad_program_name(const ::testing::TestParamInfo<BadProgram>& info) { return info.param.name; }

}  // namespace tests
