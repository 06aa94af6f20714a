#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drydock/export.h"

namespace drydock {

// What a process did with the graphics kernel. A value: taken when it was asked for.
struct Ledger {
  // Objects of one kind: "device", "resource", "allocation", …
  struct Objects {
    std::string kind;
    std::uint64_t created = 0;
    std::uint64_t live = 0;
    std::uint64_t peak = 0;
  };
  // Calls that were refused at one place for one reason.
  struct Refusal {
    std::string function;
    std::int32_t status = 0;
    std::string reason;
    std::uint64_t times = 0;
  };

  std::vector<Objects> objects;  // only kinds of which there was one
  std::vector<Refusal> refusals;
  std::uint64_t bytes = 0;  // of allocations that are alive
  std::uint64_t peak_bytes = 0;
  std::uint64_t leaks = 0;  // objects that the process had when it ended

  // The line of a kind; zeros when there was none.
  DRYDOCK_API Objects of(const std::string& kind) const;
};

}  // namespace drydock
