#include "softgpu/hw/physical_memory.h"

namespace softgpu {
namespace {

bool has_reserved_bits(uint64_t address) {
  return softgpu_address(softgpu_address_space(address), softgpu_address_offset(address)) != address;
}

}  // namespace

Outcome PhysicalMemory::read(uint64_t address, void* bytes, size_t count, Access access) {
  uint64_t offset = softgpu_address_offset(address);
  if (has_reserved_bits(address)) return Fault{SOFTGPU_FAULT_ADDRESS, access, address};
  switch (softgpu_address_space(address)) {
    case SOFTGPU_SPACE_LOCAL:
      if (!LocalMemory::contains(offset, count)) break;
      local_.read(offset, bytes, count);
      return {};
    case SOFTGPU_SPACE_SYSTEM:
      if (host_.dma_read(offset, bytes, count)) return {};
      return Fault{SOFTGPU_FAULT_BUS, access, address};
  }
  return Fault{SOFTGPU_FAULT_ADDRESS, access, address};
}

Outcome PhysicalMemory::write(uint64_t address, const void* bytes, size_t count) {
  uint64_t offset = softgpu_address_offset(address);
  if (has_reserved_bits(address)) return Fault{SOFTGPU_FAULT_ADDRESS, Access::Write, address};
  switch (softgpu_address_space(address)) {
    case SOFTGPU_SPACE_LOCAL:
      if (!LocalMemory::contains(offset, count)) break;
      local_.write(offset, bytes, count);
      return {};
    case SOFTGPU_SPACE_SYSTEM:
      if (host_.dma_write(offset, bytes, count)) return {};
      return Fault{SOFTGPU_FAULT_BUS, Access::Write, address};
  }
  return Fault{SOFTGPU_FAULT_ADDRESS, Access::Write, address};
}

}  // namespace softgpu
