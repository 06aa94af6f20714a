#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace inf {

// "KEY = VALUE, VALUE, …", or values alone. Quotes are taken off and strings put in; a directory (%12%) stays as it is.
struct Entry {
  std::string key;  // empty for none
  std::vector<std::string> values;
  uint32_t line = 0;

  // Empty for one that is not there.
  const std::string& value(size_t i) const;
};

// All sections of one name, as one.
struct Section {
  std::string name;  // as it was first written
  std::vector<Entry> entries;
  uint32_t line = 0;  // of its first heading

  // The first entry with that key, in any case of letters; null for none.
  const Entry* find(std::string_view key) const;
};

// A driver's installation file, read and nothing more. A value: it may be used on any thread. Pages:
// install/general-syntax-rules-for-inf-files, install/inf-strings-section, display/general-unicode-requirement.
class File {
 public:
  // What cannot be read is refused with one sentence that names file and line.
  static base::Expected<File, std::string> read(const std::string& path);
  // `name` is for the sentence.
  static base::Expected<File, std::string> parse(std::string_view bytes, const std::string& name);

  const std::vector<Section>& sections() const { return sections_; }
  // In any case of letters; null for none.
  const Section* find(std::string_view section) const;

  // The file is not UTF-16, and this is the first line with a letter outside ASCII that is not in a comment; 0: none.
  uint32_t foreign_line() const { return foreign_line_; }

  // A string that is used and not defined.
  struct Undefined {
    std::string token;
    uint32_t line;
    friend bool operator==(const Undefined&, const Undefined&) = default;
  };
  const std::vector<Undefined>& undefined() const { return undefined_; }

 private:
  File() = default;
  Section& section(const std::string& name, uint32_t line);
  void collect_strings();
  void put_in_strings();
  std::string with_strings(const std::string& text, uint32_t line);

  std::vector<Section> sections_;
  std::map<std::string, size_t> by_name_;       // folded
  std::map<std::string, std::string> strings_;  // folded; those without a language win
  std::vector<Undefined> undefined_;
  uint32_t foreign_line_ = 0;
};

// Names in INF files are equal in any case of letters, of those that ASCII has.
std::string inf_folded(std::string_view name);

}  // namespace inf
