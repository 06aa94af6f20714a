#pragma once

#include "umd/common/context_use.h"

namespace umd {

// Parts of fill_submission_callbacks.
void fill_present_callbacks(D3DDDI_DEVICECALLBACKS& table);  // present
void fill_escape_callbacks(D3DDDI_DEVICECALLBACKS& table);   // escape, markers

// The kernel has taken what was batched until now.
void note_submission(Device& device, ContextUse& use);

}  // namespace umd
