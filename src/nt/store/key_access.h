#pragma once

#include "abi/km/wdm.h"

namespace nt {

// The access that a handle to a key gets: all that was asked for, as for every caller in kernel mode, with the generic
// rights mapped to specific ones.
inline ACCESS_MASK key_access(ACCESS_MASK asked) {
  constexpr ACCESS_MASK kMaximumAllowed = 0x02000000;
  ACCESS_MASK granted = asked & 0x0FFFFFFF & ~kMaximumAllowed;
  if (asked & GENERIC_READ) granted |= KEY_READ;
  if (asked & GENERIC_WRITE) granted |= KEY_WRITE;
  if (asked & GENERIC_EXECUTE) granted |= KEY_EXECUTE;
  if (asked & (GENERIC_ALL | kMaximumAllowed)) granted |= KEY_ALL_ACCESS;
  return granted;
}

}  // namespace nt
