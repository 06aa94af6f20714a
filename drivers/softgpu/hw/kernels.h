#pragma once

#include "softgpu/hw/context_state.h"
#include "softgpu/hw/fault.h"
#include "softgpu/hw/memory.h"
#include "softgpu/proto/softgpu_cmd.h"

namespace softgpu {

// Runs one of SOFTGPU_KERNEL_…; the packet is well formed.
[[nodiscard]] Outcome run_kernel(const SOFTGPU_KERNEL& kernel, const View& view, Memory& memory,
                                 const ContextState& state);

}  // namespace softgpu
