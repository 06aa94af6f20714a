#pragma once

#include <functional>

#include "abi/ks/ks.h"
#include "base/result.h"

namespace ks {

// Two automation tables as one, in one block of memory from `allocate`; what both have is taken from the first. Either
// may be null, not both. STATUS_INVALID_PARAMETER when their items are of different sizes (ours).
base::Result<KSAUTOMATION_TABLE*> merge(const KSAUTOMATION_TABLE* first, const KSAUTOMATION_TABLE* second,
                                        const std::function<void*(size_t bytes)>& allocate);

}  // namespace ks
