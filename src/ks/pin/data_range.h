#pragma once

#include "abi/ks/ks.h"

namespace ks {

// Whether the three GUIDs of a format, or of another range, match those of `range`; GUID_NULL is the wildcard.
bool matches(const KSDATARANGE& range, const KSDATARANGE& other);

}  // namespace ks
