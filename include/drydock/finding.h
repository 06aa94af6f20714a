#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "drydock/export.h"

namespace drydock {

enum class Level : std::uint8_t { Error, Warning };

// A stack as a driver's author wants it: the driver's own frames and the kernel function that it called, innermost
// first, each as "function at file:line" or "module+offset".
struct Stack {
  std::string role;  // what it shows: "here", "allocated", …
  std::vector<std::string> frames;
};

// A documented rule that the driver, or a client, broke. A value.
struct Finding {
  std::string rule;   // its id; `drydock explain ID` says what it asks for and where that is written
  std::string title;  // the rule in a few words
  Level level = Level::Error;
  std::string sentence;  // what happened
  std::string where;     // routine, thread and IRQL; empty when no single thread did it
  std::vector<Stack> stacks;
  std::uint64_t times = 1;  // it was seen

  // All of it, in lines.
  DRYDOCK_API std::string text() const;
};

// As text(): what a failed expectation prints.
DRYDOCK_API std::ostream& operator<<(std::ostream& out, const Finding& finding);

}  // namespace drydock
