#pragma once

#include <cstdint>

#include "softgpu/hw/fault.h"
#include "softgpu/hw/features.h"
#include "softgpu/hw/physical_memory.h"

namespace softgpu {

// The window through which system pages look like a segment: a table with one entry a page. Owned by the device.
class Aperture {
 public:
  Aperture(PhysicalMemory& memory, const Features& features) : memory_(memory), features_(features) {}

  void reset() { base_ = entries_ = 0; }

  uint64_t base() const { return base_; }
  void set_base(uint64_t address) { base_ = address; }
  uint32_t entries() const { return entries_; }
  void set_entries(uint32_t entries) { entries_ = entries <= SOFTGPU_APERTURE_MAX_ENTRIES ? entries : 0; }

  // Where an offset in the aperture leads: an address in SOFTGPU_SPACE_SYSTEM.
  [[nodiscard]] Outcome translate(uint64_t offset, Access access, uint64_t* address);

 private:
  PhysicalMemory& memory_;
  const Features& features_;
  uint64_t base_ = 0;
  uint32_t entries_ = 0;
};

}  // namespace softgpu
