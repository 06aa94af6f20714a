#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "verifier/finding/finding.h"

namespace verifier {

// Findings that a driver's author knows of and does not want reported, from a text:
//
//   # why this is not our bug
//   NT-LEAK-01                  every finding of the rule
//   DX-05  on_dpc               findings with this function among the driver's own frames
//   CA-*   src/alloc.c:*        findings at this place
//   *      *segment 3*          findings with these words
//
// Patterns may have `*` and `?`. A value; it counts how often each line has matched.
class Suppressions {
 public:
  // A line that is not of that form or names no rule is refused: the sentence says which, beginning with `file`.
  static base::Expected<Suppressions, std::string> parse(std::string_view text, const std::string& file);

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
