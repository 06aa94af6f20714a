#pragma once

#include "softgpu/hw/fault.h"
#include "softgpu/hw/memory.h"
#include "softgpu/proto/softgpu_draw.h"

namespace softgpu {

// Run the packets that work on rectangles of pixels; those are well formed.
[[nodiscard]] Outcome clear_rect(const SOFTGPU_CLEAR_RECT& clear, const View& view, Memory& memory);
[[nodiscard]] Outcome copy_rect(const SOFTGPU_COPY_RECT& copy, const View& view, Memory& memory);
[[nodiscard]] Outcome stretch_rect(const SOFTGPU_STRETCH_RECT& stretch, const View& view, Memory& memory);

}  // namespace softgpu
