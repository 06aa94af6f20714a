#include "base/csv_table.h"

#include <gtest/gtest.h>

namespace base {
namespace {

std::string error_of(std::string_view text) {
  auto table = CsvTable::parse(text, "TABLE.csv", {"name", "seeds"});
  return table.ok() ? "" : table.error();
}

TEST(CsvTable, FindsFieldsByTheirHeading) {
  auto table = CsvTable::parse("name,seeds,on\na,1,softgpu\nb,2\n", "TABLE.csv", {"name", "seeds"});
  ASSERT_TRUE(table.ok());
  CsvTable rows = table.take();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.at(0, "on"), "softgpu");
  EXPECT_EQ(rows.at(1, "name"), "b");
  EXPECT_EQ(rows.at(1, "on"), "") << "left out at the end of the row";
  EXPECT_EQ(rows.at(1, "shows"), "") << "no such column";
}

TEST(CsvTable, NamesTheRowThatIsWrong) {
  EXPECT_EQ(error_of("name,seeds\na,1\nb\n"), "TABLE.csv:3: the field 'seeds' is missing");
  EXPECT_EQ(error_of("name,seeds\n,1\n"), "TABLE.csv:2: the field 'name' is missing");
  EXPECT_EQ(error_of("name,seeds\n\n"), "TABLE.csv:2: the field 'name' is missing");
  EXPECT_EQ(error_of("name,seeds\na,1,2\n"), "TABLE.csv:2: 3 fields; the headings are 2");
  EXPECT_EQ(error_of("name,on\na,1\n"), "TABLE.csv:1: there is no column 'seeds'");
  EXPECT_EQ(error_of(""), "TABLE.csv:1: there is no column 'name'");
}

TEST(CsvTable, NamesAFileThatCannotBeRead) {
  auto table = CsvTable::read("/nonexistent/TABLE.csv", {"name"});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error(), "/nonexistent/TABLE.csv cannot be read");
}

}  // namespace
}  // namespace base
