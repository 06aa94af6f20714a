#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace inf {

// The bytes of an INF file as UTF-8. Of a file that is neither UTF-16LE nor UTF-8 each byte is a letter of Latin-1.
struct Text {
  std::string text;
  bool utf16 = false;
};
// The error is half a sentence: "is UTF-16 with its bytes the wrong way round".
base::Expected<Text, std::string> decode_inf(std::string_view bytes);

// A line with content: comments, quotes and continuations are gone.
struct Line {
  uint32_t line = 0;    // where it begins
  std::string section;  // of a heading, without its brackets; else empty
  bool heading = false;
  bool has_key = false;
  std::vector<std::string> fields;  // the key first, if there is one
};

// Takes an INF file apart into lines. Used once, on one thread.
class Lexer {
 public:
  // Lines before the first section are ignored.
  explicit Lexer(std::string_view text);

  // The next line; nothing at the end, and when what is there cannot be read.
  std::optional<Line> next();
  // Why, as "line 3: …"; empty at the end of a whole file.
  const std::string& error() const { return error_; }
  // The first line with a letter outside ASCII, comments aside; 0: none yet.
  uint32_t foreign_line() const { return foreign_line_; }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  void skip_blank_lines();
  void skip_rest_of_line();
  std::optional<Line> heading();
  std::optional<Line> entry();
  bool quoted(std::string& field);
  bool token(std::string& field);
  bool continues();
  bool take(std::string& field);
  std::nullopt_t refuse(uint32_t line, std::string_view why);

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  uint32_t foreign_line_ = 0;
  std::string error_;
};

}  // namespace inf
