// Which of the three drivers this is: the same sources are built once for each.
//
//   SOFTGPU_PHYSICAL   WDDM 1.3: physical addresses, patched into DMA buffers
//   (neither)          WDDM 2.0, render-only: GPU virtual addresses
//   SOFTGPU_COMPUTE    WDDM 2.6, compute-only: GPU virtual addresses, no presents
//
// SOFTGPU_LOCAL_ONLY besides, for tests: what a client wants in local memory cannot be placed in another segment.
#pragma once

#include <dispmprt.h>
#include <ntddk.h>

namespace softgpu {

#if defined(SOFTGPU_PHYSICAL)
inline constexpr ULONG kInterfaceVersion = DXGKDDI_INTERFACE_VERSION_WDDM1_3;
inline constexpr DXGK_WDDMVERSION kWddmVersion = DXGKDDI_WDDMv1_3;
inline constexpr bool kGpuMmu = false;
inline constexpr bool kComputeOnly = false;
#elif defined(SOFTGPU_COMPUTE)
inline constexpr ULONG kInterfaceVersion = DXGKDDI_INTERFACE_VERSION_WDDM2_6;
inline constexpr DXGK_WDDMVERSION kWddmVersion = DXGKDDI_WDDMv2_6;
inline constexpr bool kGpuMmu = true;
inline constexpr bool kComputeOnly = true;
#else
inline constexpr ULONG kInterfaceVersion = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
inline constexpr DXGK_WDDMVERSION kWddmVersion = DXGKDDI_WDDMv2;
inline constexpr bool kGpuMmu = true;
inline constexpr bool kComputeOnly = false;
#endif

#if defined(SOFTGPU_LOCAL_ONLY)
inline constexpr bool kLocalOnly = true;
#else
inline constexpr bool kLocalOnly = false;
#endif

inline constexpr ULONG kTag = 'UPGS';

inline constexpr SIZE_T kMaxApertureBytes = 64 * 1024 * 1024;
inline constexpr UINT kPagingBufferBytes = 64 * 1024;
inline constexpr UINT kDmaBufferBytes = 64 * 1024;
inline constexpr UINT kPitchAlignmentShift = 6;

template <typename T>
constexpr T lesser(T a, T b) {
  return b < a ? b : a;
}

// Zeroed, or null.
template <typename T>
T* allocate(POOL_FLAGS pool) {
  return static_cast<T*>(ExAllocatePool2(pool, sizeof(T), kTag));
}

template <typename T>
void release(T* block) {
  ExFreePoolWithTag(block, kTag);
}

}  // namespace softgpu
