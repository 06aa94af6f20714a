#pragma once

#include "abi/ks/ks.h"

namespace ks {

// Whether a format, or another range, can be of `range` as far as the three GUIDs tell; a wildcard is GUID_NULL.
bool matches(const KSDATARANGE& range, const KSDATARANGE& other);

}  // namespace ks
