#include "base/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace base {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> fields;
  for (std::string field; std::getline(in, field, ',');) fields.push_back(std::move(field));
  return fields;
}

}  // namespace

Expected<CsvTable, std::string> CsvTable::parse(std::string_view text, const std::string& name,
                                                std::initializer_list<std::string_view> required) {
  CsvTable table;
  std::istringstream lines{std::string(text)};
  std::string line;
  std::getline(lines, line);
  table.headings_ = fields_of(line);
  for (std::string_view column : required) {
    if (std::ranges::find(table.headings_, column) == table.headings_.end()) {
      return fmt::format("{}:1: there is no column '{}'", name, column);
    }
  }
  for (size_t number = 2; std::getline(lines, line); ++number) {
    std::vector<std::string> fields = fields_of(line);
    if (fields.size() > table.headings_.size()) {
      return fmt::format("{}:{}: {} fields; the headings are {}", name, number, fields.size(), table.headings_.size());
    }
    fields.resize(table.headings_.size());
    table.rows_.push_back(std::move(fields));
    for (std::string_view column : required) {
      if (table.at(table.size() - 1, column).empty()) {
        return fmt::format("{}:{}: the field '{}' is missing", name, number, column);
      }
    }
  }
  return table;
}

Expected<CsvTable, std::string> CsvTable::read(const std::string& path,
                                               std::initializer_list<std::string_view> required) {
  std::ifstream file(path);
  if (!file) return fmt::format("{} cannot be read", path);
  std::stringstream text;
  text << file.rdbuf();
  return parse(text.str(), path, required);
}

const std::string& CsvTable::at(size_t row, std::string_view column) const {
  static const std::string kNone;
  auto heading = std::ranges::find(headings_, column);
  return heading == headings_.end() ? kNone : rows_.at(row)[static_cast<size_t>(heading - headings_.begin())];
}

}  // namespace base
