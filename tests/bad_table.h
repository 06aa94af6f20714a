#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/csv_table.h"
#include "verifier/rules/rules.h"

namespace tests {

// A row of drivers/bad/*/TABLE.csv: a program that breaks one rule, and where that shows.
struct BadProgram {
  std::string folder;  // "nt", "kmd", "ks", "umd", "client", "inf"
  std::string name, violation;
  std::string scenario, seeds, variant;  // of a driver; variants are separated by blanks
  std::string driver;                    // of a client or a user-mode driver: what is below, softgpu if it says nothing
  std::string fixed, version;            // of an INF file: the one that has it right, the driver's version if known
  std::string shows;                     // beside its rule: ids of the catalogue, separated by blanks

  bool is_of(const std::string& one) const { return (" " + variant + " ").find(" " + one + " ") != std::string::npos; }
  std::string path() const { return folder + "/" + name; }
  std::string fixed_path() const { return folder + "/fixed/" + (fixed.empty() ? name : fixed); }
};

inline void PrintTo(const BadProgram& row, std::ostream* out) { *out << row.path(); }

inline std::vector<BadProgram> bad_programs(const std::string& folder) {
  auto read = base::CsvTable::read(DRYDOCK_SOURCE_DIR "/drivers/bad/" + folder + "/TABLE.csv", {"name", "violation"});
  EXPECT_TRUE(read.ok()) << read.error();
  base::CsvTable table = read.take();
  std::vector<BadProgram> rows;
  for (size_t i = 0; i < table.size(); ++i) {
    BadProgram row;
    row.folder = folder;
    row.name = table.at(i, "name");
    row.violation = table.at(i, "violation");
    row.scenario = table.at(i, "scenario");
    row.seeds = table.at(i, "seeds");
    row.variant = table.at(i, "variant");
    row.driver = table.at(i, "on");
    row.fixed = table.at(i, "fixed");
    row.version = table.at(i, "version");
    row.shows = table.at(i, "shows");
    if (row.driver.empty()) row.driver = "softgpu";
    rows.push_back(row);
  }
  return rows;
}

// The id of the rule that it breaks.
inline std::string rule_of(const BadProgram& row) {
  for (const verifier::Rule& rule : verifier::all_rules()) {
    if (row.violation == nt::to_string(rule.violation)) return rule.id;
  }
  return "no rule for " + row.violation;
}

// What `drydock` exits with when it finds that rule broken and no other: a warning fails nothing.
inline int exit_code_of(const BadProgram& row) {
  const verifier::Rule* rule = verifier::find_rule(rule_of(row));
  return rule && verifier::level_of(rule->rule_class) == verifier::Level::Warning ? 0 : 1;
}

inline std::string bad_program_name(const ::testing::TestParamInfo<BadProgram>& info) { return info.param.name; }

}  // namespace tests
