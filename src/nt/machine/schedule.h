#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace nt {

// Every choice that the choice source made in one run, in order. A run that replays its schedule makes the same choices
// and draws no random number. A run whose choices do not fit the schedule has diverged, and reports where.
//
// The text form is a header of `key: value` lines, a blank line, then one decision per line:
//   p 3 1      at a scheduling point with 3 tasks able to run, the one with index 1 went on
//   f 512 40   fuel: the driver ran 40 edges before it was next interrupted (at most 512)
//   c 10 4     a choice of 4 out of 0..9
// Bounds and values have 64 bits. Files of releases that wrote 32 bits are read as they are: where a number did not
// fit, they diverge. A repeated line is written once with its count: `p 2 0 x17`.
enum class Decision : uint8_t { Pick, Fuel, Choice };

class Schedule {
 public:
  struct Entry {
    Decision kind;
    uint64_t bound;
    uint64_t value;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  struct Header {
    std::string driver;    // file name
    std::string build_id;  // of the driver, or empty
    std::string scenario;
    uint64_t seed = 0;
    uint32_t processors = 0;
    uint64_t hang_edges = 0;  // edges that make a hang; 0, and no line in the text: the default
    friend bool operator==(const Header&, const Header&) = default;
  };

  Header header;
  std::vector<Entry> entries;

  std::string to_text() const;
  // The error is one sentence that names the line.
  static base::Expected<Schedule, std::string> from_text(std::string_view text);
};

// Where a replayed run left its schedule.
struct Divergence {
  size_t at = 0;
  std::string what;
};

}  // namespace nt
