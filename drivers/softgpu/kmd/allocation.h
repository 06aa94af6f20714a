// Allocations belong to the adapter, views of them to a device. One block of pool each; a resource has none of its own.
// Only touched at PASSIVE_LEVEL, so both are paged.
#pragma once

#include "config.h"
#include "softgpu_user.h"

namespace softgpu {

// hAllocation of DXGK_ALLOCATIONINFO.
struct Allocation {
  UINT64 bytes;
  UINT width;  // of a surface, else 0
  UINT height;
  UINT pitch;
  D3DDDIFORMAT format;
  D3DDDI_RATIONAL refresh;
};

// hDeviceSpecificAllocation: an allocation as a device sees it. The allocation outlives it.
struct View {
  Allocation* allocation;
  bool read_only;
};

UINT bytes_per_pixel(D3DDDIFORMAT format);

}  // namespace softgpu
