#pragma once

#include <array>
#include <cstdint>

#include "softgpu/hw/fault.h"
#include "softgpu/hw/features.h"
#include "softgpu/hw/physical_memory.h"
#include "softgpu/hw/tlb.h"

namespace softgpu {

// The page walker: virtual addresses of 16 address spaces to physical ones. Owned by the device.
class Mmu {
 public:
  struct Root {
    uint64_t address = 0;
    uint32_t entries = 0;  // 0: the address space is off
  };

  Mmu(PhysicalMemory& memory, const Features& features) : memory_(memory), features_(features) {}

  void reset();

  // Neither forgets translations.
  const Root& root(uint32_t vmid) const { return roots_[vmid]; }
  void set_root(uint32_t vmid, const Root& root);

  Tlb& tlb() { return tlb_; }

  // The page of a virtual address, for an access that is allowed.
  [[nodiscard]] Outcome translate(uint32_t vmid, uint64_t virtual_address, Access access, Translation* translation);

 private:
  [[nodiscard]] Outcome walk(uint32_t vmid, uint64_t virtual_address, Access access, Translation* translation);
  bool well_formed(uint64_t entry, uint32_t level) const;

  PhysicalMemory& memory_;
  const Features& features_;
  std::array<Root, SOFTGPU_VMIDS> roots_;
  Tlb tlb_;
};

}  // namespace softgpu
