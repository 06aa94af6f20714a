#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// Names, IRQL limits and documentation pages of the NT functions a driver may call, as data from functions.def.
namespace nt {

enum class Fn : uint16_t {
#define NT_FUNCTION(name, min_irql, max_irql, page) name,
#include "nt/boundary/functions.def"
#undef NT_FUNCTION
};

struct FunctionRow {
  const char* name;
  uint8_t min_irql;
  uint8_t max_irql;
  const char* page;  // below wdk-ddi-src/content, without .md
};

inline constexpr FunctionRow kFunctions[] = {
#define NT_FUNCTION(name, min_irql, max_irql, page) {#name, min_irql, max_irql, page},
#include "nt/boundary/functions.def"
#undef NT_FUNCTION
};
inline constexpr size_t kFunctionCount = sizeof(kFunctions) / sizeof(kFunctions[0]);

constexpr const FunctionRow& row(Fn fn) { return kFunctions[static_cast<size_t>(fn)]; }

// By exact name; nothing if drivers cannot call it here.
std::optional<Fn> find_function(std::string_view name);

}  // namespace nt
