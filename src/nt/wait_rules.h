#pragma once

#include "nt/call.h"

namespace nt {

// Whether the caller may block now; Broke::WaitAtDispatch if not. `what` is what it tried.
bool may_block(Call& call, const char* what);

}  // namespace nt
