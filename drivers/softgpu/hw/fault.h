#pragma once

#include <cstdint>
#include <optional>

#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {

enum class Access : uint32_t {
  Read = SOFTGPU_FAULT_READ,
  Write = SOFTGPU_FAULT_WRITE,
  Execute = SOFTGPU_FAULT_EXECUTE,
};

// Why an engine stops: what its registers will say.
struct Fault {
  uint32_t kind;  // SOFTGPU_FAULT_…
  Access access;
  uint64_t address;
  uint32_t level = 0;

  uint32_t status() const { return kind | static_cast<uint32_t>(access) | level << SOFTGPU_FAULT_LEVEL_SHIFT; }
};

// What an operation came to: nothing when it went well.
using Outcome = std::optional<Fault>;

}  // namespace softgpu
