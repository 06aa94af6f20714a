#pragma once

#include <optional>
#include <span>

#include "umd/common/context_use.h"

namespace umd {

// Parts of fill_submission_callbacks.
void fill_present_callbacks(D3DDDI_DEVICECALLBACKS& table);  // present
void fill_escape_callbacks(D3DDDI_DEVICECALLBACKS& table);   // escape, markers

// The kernel has taken what was batched for these contexts. `memory`: see Submission.
void note_submission(Device& device, ContextUse& use, std::optional<std::span<const uint64_t>> memory = {});

}  // namespace umd
