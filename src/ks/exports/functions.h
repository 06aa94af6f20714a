#pragma once

#include <cstddef>
#include <cstdint>

// Names, IRQL limits and pages of the functions of ks.sys, as data from functions.def.
namespace ks {

enum class Fn : uint16_t {
#define KS_FUNCTION(name, ...) name,
#include "ks/exports/functions.def"
#undef KS_FUNCTION
};

struct FunctionRow {
  const char* name;
  uint8_t min_irql;
  uint8_t max_irql;
  const char* page;  // below wdk-ddi-src/content/ks, without .md
};

inline constexpr FunctionRow kFunctions[] = {
#define KS_FUNCTION(name, lowest, highest, page) {#name, lowest, highest, page},
#include "ks/exports/functions.def"
#undef KS_FUNCTION
};
inline constexpr size_t kFunctionCount = sizeof(kFunctions) / sizeof(kFunctions[0]);

constexpr const FunctionRow& row(Fn fn) { return kFunctions[static_cast<size_t>(fn)]; }

}  // namespace ks
