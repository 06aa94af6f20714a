#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/finding.h"

namespace verifier {

// Findings that a driver's author knows of and does not want to hear about, from a text:
//
//   # why this is not our bug
//   NT-LEAK-01                  every finding of the rule
//   DX-05  on_dpc               … with this function among the driver's own frames
//   CA-*   src/alloc.c:*        … or this place
//   *      *segment 3*          … or these words
//
// Patterns know `*` and `?`. A value; counts what it has been asked.
class Suppressions {
 public:
  // None when a line is not of that form or names no rule; `error` then says which, beginning with `file`.
  static std::optional<Suppressions> parse(std::string_view text, const std::string& file, std::string* error);

  // Whether the finding, which is symbolized, is one of them.
  bool matches(const Finding& finding);
  // What has matched nothing so far, one sentence each.
  std::vector<std::string> unused() const;

 private:
  struct Line {
    std::string where;  // "file:3"
    std::string rule, pattern;
    bool used = false;
  };
  std::vector<Line> lines_;
};

}  // namespace verifier
