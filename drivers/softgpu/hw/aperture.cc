#include "softgpu/hw/aperture.h"

namespace softgpu {

Outcome Aperture::translate(uint64_t offset, Access access, uint64_t* address) {
  uint64_t touched = softgpu_address(SOFTGPU_SPACE_APERTURE, offset);
  uint64_t page = offset / SOFTGPU_PAGE_BYTES;
  if (page >= entries_ || base_ % 8 != 0 || !features_.has(SOFTGPU_FEATURE_APERTURE))
    return Fault{SOFTGPU_FAULT_ADDRESS, access, touched};

  uint64_t entry = 0;
  if (Outcome fault = memory_.read(base_ + page * 8, &entry, sizeof(entry), access)) return fault;
  if (!(entry & SOFTGPU_APERTURE_VALID)) return Fault{SOFTGPU_FAULT_APERTURE, access, touched};
  if (entry & ~(SOFTGPU_APERTURE_VALID | SOFTGPU_APERTURE_FRAME_MASK))
    return Fault{SOFTGPU_FAULT_ENTRY, access, touched};

  *address = softgpu_address(SOFTGPU_SPACE_SYSTEM, entry & SOFTGPU_APERTURE_FRAME_MASK) | offset % SOFTGPU_PAGE_BYTES;
  return {};
}

}  // namespace softgpu
