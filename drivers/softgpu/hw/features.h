#pragma once

#include <cstdint>

#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {

// What the device can do, less what a test took away. Owned by the device, read by its parts.
struct Features {
  uint32_t off = 0;

  uint32_t all() const { return SOFTGPU_FEATURES_ALL & ~off; }
  bool has(uint32_t feature) const { return (all() & feature) != 0; }
};

}  // namespace softgpu
