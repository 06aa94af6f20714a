#pragma once

#include <fmt/format.h>

#include <string>

namespace tools {

// The exit codes of the program.
enum ExitCode : int {
  kNothingFound = 0,
  kFindings = 1,
  kUsage = 2,       // the caller's mistake: a bad option, a file that is no driver, a schedule that does not fit
  kOurFault = 3,    // Drydock itself failed
  kIncomplete = 4,  // something that was asked for could not be tried, or nothing was
};

// Prints the reason of a refusal in one sentence, and returns the exit code.
inline int refuse(const std::string& sentence) {
  fmt::print(stderr, "drydock: {}\n", sentence);
  return kUsage;
}

}  // namespace tools
