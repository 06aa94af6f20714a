#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace umd {

// How many allocations a driver made for shared resources, by the description of the resource. Owned by the runtime,
// and under its lock.
class SharedAllocationCounts {
 public:
  // The other process's allocation count for this request, if it differs.
  std::optional<uint32_t> differing(const std::string& shape, uint32_t process, uint32_t allocations) {
    auto [known, is_new] = made_.try_emplace(shape, Made{process, allocations});
    const Made& made = known->second;
    if (is_new || made.process == process || made.allocations == allocations) return std::nullopt;
    return made.allocations;
  }

 private:
  struct Made {
    uint32_t process;
    uint32_t allocations;
  };
  std::map<std::string, Made> made_;
};

}  // namespace umd
