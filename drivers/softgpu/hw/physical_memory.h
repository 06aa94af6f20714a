#pragma once

#include <cstddef>
#include <cstdint>

#include "softgpu/hw/fault.h"
#include "softgpu/hw/host.h"
#include "softgpu/hw/local_memory.h"

namespace softgpu {

// Memory as it is reached at the end of every translation: local memory, and system memory over the bus. Owned by the
// device; the tables of the MMU and of the aperture are read through it.
class PhysicalMemory {
 public:
  PhysicalMemory(LocalMemory& local, const Host& host) : local_(local), host_(host) {}

  // `address` is in SOFTGPU_SPACE_LOCAL or SOFTGPU_SPACE_SYSTEM, everything else faults. `access` is for the fault.
  [[nodiscard]] Outcome read(uint64_t address, void* bytes, size_t count, Access access);
  [[nodiscard]] Outcome write(uint64_t address, const void* bytes, size_t count);

 private:
  LocalMemory& local_;
  const Host& host_;
};

}  // namespace softgpu
