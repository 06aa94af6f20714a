#pragma once

#include "abi/km/wdm.h"

namespace nt {

// For tests: a number as the functions of Mm take it.
inline PHYSICAL_ADDRESS at(uint64_t address) {
  PHYSICAL_ADDRESS physical;
  physical.QuadPart = static_cast<LONGLONG>(address);
  return physical;
}

}  // namespace nt
