#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verifier/finding.h"

namespace verifier {

// All that one check of one driver came to. Findings are symbolized before they come here.
struct Report {
  std::string tool_version;
  std::string driver;
  std::vector<std::string> scenarios;
  uint64_t runs = 0;  // seeds, over all scenarios
  std::vector<Finding> findings;

  uint64_t count(Level level) const;
};

// What stops a machine first, then errors before warnings, then by the weight of the rule. The same for the same
// findings in any order.
void sort_worst_first(std::vector<Finding>& findings);

// A stack as a driver's author wants it: the driver's own frames, and of the host's only the function that the driver
// called.
std::vector<Frame> driver_view(const std::vector<Frame>& frames);

enum class Colour : uint8_t { No, Yes };

// For people: one block per finding, worst first, then a line with the counts.
std::string text_report(const Report& report, Colour colour);
std::string text_finding(const Finding& finding, uint64_t runs, Colour colour);
// For programs: the whole check as one JSON document.
std::string json_report(const Report& report);

// The command that shows a finding again.
std::string replay_command(const RunContext& run);

}  // namespace verifier
