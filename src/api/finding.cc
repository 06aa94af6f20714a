#include "drydock/finding.h"

#include <fmt/format.h>

#include <ostream>

#include "verifier/rules/rules.h"

namespace drydock {

std::string Finding::text() const {
  std::string out =
      fmt::format("{} {}: {}\n  {}\n", level == Level::Error ? "error" : "warning", rule, title, sentence);
  if (!where.empty()) out += fmt::format("  {}\n", where);
  for (const Stack& stack : stacks) {
    out += fmt::format("  {}:\n", stack.role);
    for (size_t i = 0; i < stack.frames.size(); ++i) out += fmt::format("    #{} {}\n", i, stack.frames[i]);
  }
  if (times > 1) out += fmt::format("  seen {} times\n", times);
  out += fmt::format("  more: {}\n", verifier::explain_command(rule));
  return out;
}

std::ostream& operator<<(std::ostream& out, const Finding& finding) { return out << finding.text(); }

}  // namespace drydock
