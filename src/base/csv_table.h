#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace base {

// A small table of text: headings in the first line, a row in each further line, fields separated by commas and never
// quoted. Fields at the end of a row may be missing if no caller requires them; they read as empty. A value.
class CsvTable {
 public:
  // `required` columns have a heading, and a field that is not empty in every row. `name` stands in the error, which is
  // a sentence that names the file and the line.
  static Expected<CsvTable, std::string> parse(std::string_view text, const std::string& name,
                                               std::initializer_list<std::string_view> required);
  static Expected<CsvTable, std::string> read(const std::string& path,
                                              std::initializer_list<std::string_view> required);

  size_t size() const { return rows_.size(); }
  // Empty if there is no such column.
  const std::string& at(size_t row, std::string_view column) const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace base
