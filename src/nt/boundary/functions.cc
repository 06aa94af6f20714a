#include "nt/boundary/functions.h"

namespace nt {

std::optional<Fn> find_function(std::string_view name) {
  for (size_t i = 0; i < kFunctionCount; ++i) {
    if (name == kFunctions[i].name) return static_cast<Fn>(i);
  }
  return std::nullopt;
}

}  // namespace nt
