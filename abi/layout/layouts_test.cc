// Holds the structures, layouts.inc and layouts.csv to each other; none may change alone.
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "abi/km/wdm.h"

namespace {

#define TYPE(line, type, size) static_assert(sizeof(type) == size, "layouts.csv:" #line);
#define FIELD(line, type, field, offset, size) \
  static_assert(offsetof(type, field) == offset && sizeof(type::field) == size, "layouts.csv:" #line);
#include "abi/layout/layouts.inc"
#undef TYPE
#undef FIELD

struct Row {
  std::size_t line;
  std::string type;
  std::string field;
  std::size_t offset;
  std::size_t size;
};

std::vector<Row> compiled_rows() {
  return {
#define TYPE(line, type, size) {line, #type, "", 0, sizeof(type)},
#define FIELD(line, type, field, offset, size) {line, #type, #field, offsetof(type, field), sizeof(type::field)},
#include "abi/layout/layouts.inc"
#undef TYPE
#undef FIELD
  };
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

TEST(Layouts, TableAndCodeAgree) {
  std::ifstream csv(DRYDOCK_LAYOUTS_CSV);
  ASSERT_TRUE(csv.is_open()) << DRYDOCK_LAYOUTS_CSV;
  std::string text;
  ASSERT_TRUE(std::getline(csv, text));
  EXPECT_EQ(text, "type,field,offset,size,source");

  const std::vector<Row> rows = compiled_rows();
  std::size_t line = 1;
  while (std::getline(csv, text)) {
    ++line;
    const std::vector<std::string> parts = split(text);
    ASSERT_EQ(parts.size(), 5u) << "layouts.csv:" << line;
    ASSERT_LE(line - 1, rows.size()) << "layouts.csv:" << line << " has no row in layouts.inc";
    const Row& row = rows[line - 2];
    EXPECT_EQ(row.line, line);
    EXPECT_EQ(parts[0], row.type) << "layouts.csv:" << line;
    EXPECT_EQ(parts[1], row.field) << "layouts.csv:" << line;
    EXPECT_EQ(parts[2], std::to_string(row.offset)) << "layouts.csv:" << line << ' ' << text;
    EXPECT_EQ(parts[3], std::to_string(row.size)) << "layouts.csv:" << line << ' ' << text;
    EXPECT_FALSE(parts[4].empty()) << "layouts.csv:" << line << " names no source";
  }
  EXPECT_EQ(line - 1, rows.size()) << "layouts.inc has rows that layouts.csv lacks";
}

}  // namespace
