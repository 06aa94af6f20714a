// Correct drivers that were once blamed (drivers/quiet) are told nothing but advice.
#include <gtest/gtest.h>

#include "base/csv_table.h"
#include "program.h"

namespace tests {
namespace {

// A row of drivers/quiet/*/TABLE.csv.
struct QuietDriver {
  std::string kind, name, scenario, seeds, below, entry, told, was;
};

void PrintTo(const QuietDriver& row, std::ostream* out) { *out << row.kind << "/" << row.name << ", was " << row.was; }

std::vector<QuietDriver> quiet_drivers() {
  std::vector<QuietDriver> rows;
  for (const char* kind : {"nt", "kmd", "ks", "umd"}) {
    auto read = base::CsvTable::read(DRYDOCK_SOURCE_DIR "/drivers/quiet/" + std::string(kind) + "/TABLE.csv",
                                     {"name", "scenario", "seeds"});
    EXPECT_TRUE(read.ok()) << read.error();
    base::CsvTable table = read.take();
    for (size_t i = 0; i < table.size(); ++i) {
      rows.push_back({kind, table.at(i, "name"), table.at(i, "scenario"), table.at(i, "seeds"), table.at(i, "on"),
                      table.at(i, "entry"), table.at(i, "told"), table.at(i, "was")});
    }
  }
  return rows;
}

class Quiet : public ::testing::TestWithParam<QuietDriver> {
 protected:
  static void expect_quiet(std::vector<std::string> more) {
    const QuietDriver& row = GetParam();
    std::vector<std::string> arguments = {"check", driver("quiet/" + row.kind + "/" + row.name)};
    if (row.kind == "umd") {
      arguments.insert(arguments.end(), {"--kmd", driver("softgpu/" + (row.below.empty() ? "softgpu" : row.below))});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    Outcome outcome = drydock(arguments);
    // A small driver gives some scenarios too little to do.
    EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 4) << outcome.out;
    for (const std::string& rule : rules_found(outcome)) {
      EXPECT_NE((" " + row.told + " ").find(" " + rule + " "), std::string::npos) << outcome.out;
    }
  }
};

TEST_P(Quiet, InEveryScenario) { expect_quiet({"--seeds", "1"}); }

TEST_P(Quiet, WhereItWasBlamed) { expect_quiet({"--scenario", GetParam().scenario, "--seeds", GetParam().seeds}); }

std::string quiet_name(const ::testing::TestParamInfo<QuietDriver>& info) {
  return info.param.kind + "_" + info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Drivers, Quiet, ::testing::ValuesIn(quiet_drivers()), quiet_name);

}  // namespace
}  // namespace tests
