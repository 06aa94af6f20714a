#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace host {

// "KEY = VALUE, VALUE, …", or values alone. Quotes are taken off and strings put in; a directory (%12%) stays as it is.
struct InfEntry {
  std::string key;  // empty for none
  std::vector<std::string> values;
  uint32_t line = 0;

  // Empty for one that is not there.
  const std::string& value(size_t i) const;
};

// All sections of one name, as one.
struct InfSection {
  std::string name;  // as it was first written
  std::vector<InfEntry> entries;
  uint32_t line = 0;  // of its first heading

  // The first entry with that key, in any case of letters; null for none.
  const InfEntry* find(std::string_view key) const;
};

// A driver's installation file, read and nothing more. A value: it may be used on any thread. Pages:
// install/general-syntax-rules-for-inf-files, install/inf-strings-section, display/general-unicode-requirement.
class InfFile {
 public:
  // What cannot be read is refused: nothing, and one sentence that names file and line.
  static std::optional<InfFile> read(const std::string& path, std::string* error);
  // `name` is for the sentence.
  static std::optional<InfFile> parse(std::string_view bytes, const std::string& name, std::string* error);

  const std::vector<InfSection>& sections() const { return sections_; }
  // In any case of letters; null for none.
  const InfSection* find(std::string_view section) const;

  // The file is not UTF-16, and this is the first line with a letter outside ASCII that is not in a comment; 0: none.
  uint32_t foreign_line() const { return foreign_line_; }

  // A string that is used and defined nowhere.
  struct Undefined {
    std::string token;
    uint32_t line;
    friend bool operator==(const Undefined&, const Undefined&) = default;
  };
  const std::vector<Undefined>& undefined() const { return undefined_; }

 private:
  InfFile() = default;
  InfSection& section(const std::string& name, uint32_t line);
  void collect_strings();
  void put_in_strings();
  std::string with_strings(const std::string& text, uint32_t line);

  std::vector<InfSection> sections_;
  std::map<std::string, size_t> by_name_;       // folded
  std::map<std::string, std::string> strings_;  // folded; those without a language win
  std::vector<Undefined> undefined_;
  uint32_t foreign_line_ = 0;
};

// Names in INF files are equal in any case of letters, of those that ASCII has.
std::string inf_folded(std::string_view name);

}  // namespace host
