#pragma once

#include "nt/boundary/kernel_entry.h"

namespace nt {

// Whether the caller may block now; Violation::WaitAtDispatch if not. `what` is what it tried.
bool may_block(KernelEntry& call, const char* what);

}  // namespace nt
