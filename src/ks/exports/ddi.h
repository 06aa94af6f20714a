#pragma once

#include <cstddef>
#include <cstdint>

// The routines of a minidriver, as data from ddi.def.
namespace ks {

enum class Ddi : uint8_t {
#define KS_DDI(name, ...) name,
#include "ks/exports/ddi.def"
#undef KS_DDI
};

enum class Pends : uint8_t { Never, Irp, Free, Policy };

struct DdiRow {
  const char* name;
  uint8_t min_irql;
  uint8_t max_irql;
  Pends pends;
  const char* page;  // below wdk-ddi-src/content/ks
};

inline constexpr DdiRow kDdis[] = {
#define KS_DDI(name, text, lowest, highest, pends, page) {text, lowest, highest, Pends::pends, page},
#include "ks/exports/ddi.def"
#undef KS_DDI
};
inline constexpr size_t kDdiCount = sizeof(kDdis) / sizeof(kDdis[0]);

constexpr const DdiRow& row(Ddi ddi) { return kDdis[static_cast<size_t>(ddi)]; }

}  // namespace ks
