#pragma once

#include <cstdint>

namespace base {

// A place in our own source, taken by a default argument: `Here where = Here::now()`.
struct Here {
  const char* file = "";
  uint32_t line = 0;

  static constexpr Here now(const char* file = __builtin_FILE(), uint32_t line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace base
