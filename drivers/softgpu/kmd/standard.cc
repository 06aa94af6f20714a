// Allocations that the graphics kernel makes without a user-mode driver: it asks for their private data, first for its
// size and then for the data, and gives it to DxgkDdiCreateAllocation.
#include "allocation.h"
#include "driver.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

constexpr UINT kPitchAlignment = 1u << kPitchAlignmentShift;

// Zero bytes: it is too large to exist.
SOFTGPU_ALLOCATION surface(UINT width, UINT height, D3DDDIFORMAT format, UINT flags, UINT alignment = kPitchAlignment) {
  SOFTGPU_ALLOCATION data = softgpu_buffer(0, flags, 0);
  UINT64 row = static_cast<UINT64>(width) * bytes_per_pixel(format);
  UINT64 pitch = (row + alignment - 1) & ~static_cast<UINT64>(alignment - 1);
  if (pitch == 0 || height == 0 || pitch > kMaxApertureBytes / height) return data;
  data.bytes = pitch * height;
  data.width = width;
  data.height = height;
  data.pitch = static_cast<UINT>(pitch);
  data.format = format;
  return data;
}

SOFTGPU_ALLOCATION shared_primary(const D3DKMDT_SHAREDPRIMARYSURFACEDATA& requested) {
  SOFTGPU_ALLOCATION data = surface(requested.Width, requested.Height, requested.Format, SOFTGPU_ALLOCATION_SHARED);
  data.refresh_numerator = requested.RefreshRate.Numerator;
  data.refresh_denominator = requested.RefreshRate.Denominator;
  return data;
}

SOFTGPU_ALLOCATION shadow(D3DKMDT_SHADOWSURFACEDATA& requested) {
  constexpr UINT kFlags = SOFTGPU_ALLOCATION_CPU_VISIBLE | SOFTGPU_ALLOCATION_CACHED;
  SOFTGPU_ALLOCATION data = surface(requested.Width, requested.Height, requested.Format, kFlags);
  requested.Pitch = data.pitch;
  return data;
}

// Its pixels have 32 bits.
SOFTGPU_ALLOCATION staging(D3DKMDT_STAGINGSURFACEDATA& requested) {
  constexpr UINT kFlags = SOFTGPU_ALLOCATION_CPU_VISIBLE | SOFTGPU_ALLOCATION_CACHED;
  SOFTGPU_ALLOCATION data = surface(requested.Width, requested.Height, D3DDDIFMT_X8R8G8B8, kFlags);
  requested.Pitch = data.pitch;
  return data;
}

// What the CPU sees lies in the aperture, coherent and linear. The textures are shared by the graphics kernel.
SOFTGPU_ALLOCATION gdi(D3DKMDT_GDISURFACEDATA& requested) {
  constexpr UINT kVisible = SOFTGPU_ALLOCATION_CPU_VISIBLE | SOFTGPU_ALLOCATION_CACHED | SOFTGPU_ALLOCATION_SHARED;
  UINT flags = SOFTGPU_ALLOCATION_SHARED;
  UINT alignment = kPitchAlignment;
  UINT height = requested.Height;
  UINT segment = 0;
  switch (requested.Type) {
    case D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE:
    case D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE:
      flags = kVisible;
      break;
    case D3DKMDT_GDISURFACE_EXISTINGSYSMEM:
      flags = kVisible | SOFTGPU_ALLOCATION_EXISTING;
      break;
    case D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE_CROSSADAPTER:
      flags = kVisible;
      [[fallthrough]];
    case D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER:
      alignment = D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT;
      height = static_cast<UINT>(ALIGN_UP_BY(height, D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT));
      segment = SOFTGPU_SEGMENT_APERTURE;
      break;
    default:
      break;
  }
  SOFTGPU_ALLOCATION data = surface(requested.Width, height, requested.Format, flags, alignment);
  data.segment = segment;
  requested.Pitch = data.pitch;
  return data;
}

SOFTGPU_ALLOCATION virtual_gpu(const D3DKMDT_VIRTUALGPUSURFACEDATA& requested) {
  return softgpu_buffer(requested.Size, 0, requested.DriverSegmentId);
}

SOFTGPU_ALLOCATION describe(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args) {
  switch (args.StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE:
      return shared_primary(*args.pCreateSharedPrimarySurfaceData);
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
      return shadow(*args.pCreateShadowSurfaceData);
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
      return staging(*args.pCreateStagingSurfaceData);
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE:
      return gdi(*args.pCreateGdiSurfaceData);
    case D3DKMDT_STANDARDALLOCATION_VGPU:
      return virtual_gpu(*args.pCreateVirtualGpuSurfaceData);
    default:
      return softgpu_buffer(0, 0, 0);  // of a version later than ours
  }
}

}  // namespace

// STATUS_NO_MEMORY is the only failure there is.
NTSTATUS get_standard_allocation_driver_data(
    IN_CONST_HANDLE, INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA pGetStandardAllocationDriverData) {
  PAGED_CODE();
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args = *pGetStandardAllocationDriverData;
  SOFTGPU_ALLOCATION data = describe(args);
  if (data.bytes == 0) return STATUS_NO_MEMORY;
  if (args.pAllocationPrivateDriverData != nullptr) {
    if (args.AllocationPrivateDriverDataSize < sizeof(data)) return STATUS_NO_MEMORY;
    RtlCopyMemory(args.pAllocationPrivateDriverData, &data, sizeof(data));
  }
  args.AllocationPrivateDriverDataSize = sizeof(data);
  args.ResourcePrivateDriverDataSize = 0;
  return STATUS_SUCCESS;
}

}  // namespace softgpu
