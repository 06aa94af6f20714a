#pragma once

#include <cstdint>

namespace vidsch {

// Submission and preemption fence ids: 32 bits, counted per node from 1. They wrap, and 0 is never given: in a page
// fault it stands for "not known".
using FenceId = uint32_t;

// Order over the wrap, for ids less than half the range apart.
constexpr bool is_after(FenceId a, FenceId b) { return static_cast<int32_t>(a - b) > 0; }
constexpr FenceId next_fence(FenceId id) { return id + 1 == 0 ? 1 : id + 1; }

}  // namespace vidsch
