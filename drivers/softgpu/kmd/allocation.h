// Allocations belong to the adapter, views of them to a device. One block of pool each; a resource has none of its own.
// Only touched at PASSIVE_LEVEL, so both are paged.
#pragma once

#include "config.h"
#include "softgpu_user.h"

namespace softgpu {

// What a handle of ours in a paging operation stands for: both begin with it.
enum class AllocationKind : ULONG { Allocation, ContextImage };

// hAllocation of DXGK_ALLOCATIONINFO.
struct Allocation {
  AllocationKind kind;
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
