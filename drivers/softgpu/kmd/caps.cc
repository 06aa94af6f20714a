#include "caps.h"

#pragma code_seg("PAGE")

namespace softgpu {

// A driver without a display still has to say that it flips by MMIO and takes command buffers from the kernel; one
// that only computes must not.
DXGK_DRIVERCAPS driver_caps(const Adapter& adapter) {
  DXGK_DRIVERCAPS caps = {};
  caps.WDDMVersion = kWddmVersion;
  caps.HighestAcceptableAddress.QuadPart = SOFTGPU_ADDRESS_OFFSET_MASK;
  caps.SchedulingCaps.MultiEngineAware = 1;
  caps.SchedulingCaps.PreemptionAware = 1;
  caps.SchedulingCaps.CancelCommandAware = 1;
  caps.PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
  caps.PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
  caps.SupportPerEngineTDR = TRUE;
  caps.SupportSurpriseRemovalInHibernation = TRUE;
  caps.SupportSurpriseRemoval = TRUE;
  caps.GpuEngineTopology.NbAsymetricProcessingNodes = SOFTGPU_ENGINES;
  caps.MemoryManagementCaps.PagingNode = SOFTGPU_ENGINE_COPY;
  caps.MemoryManagementCaps.VirtualAddressingSupported = kGpuMmu;
  caps.MemoryManagementCaps.GpuMmuSupported = kGpuMmu;
  if constexpr (!kComputeOnly) {
    caps.ApertureSegmentCommitLimit = static_cast<SIZE_T>(adapter.aperture_bytes);
    caps.FlipCaps.FlipOnVSyncMmIo = 1;
    caps.PresentationCaps.SupportKernelModeCommandBuffer = 1;
    caps.PresentationCaps.AlignmentShift = kPitchAlignmentShift;
  }
  caps.MiscCaps.ComputeOnly = kComputeOnly;
  return caps;
}

void fill_physical_adapter_caps(DXGK_PHYSICALADAPTERCAPS& caps) {
  caps.NumExecutionNodes = SOFTGPU_ENGINES;
  caps.PagingNodeIndex = SOFTGPU_ENGINE_COPY;
  caps.Flags.GpuMmuSupported = 1;
  caps.Flags.MovePagingSupported = 1;
}

DXGK_GPUMMUCAPS gpu_mmu_caps(const Adapter& adapter) {
  DXGK_GPUMMUCAPS caps = {};
  caps.ReadOnlyMemorySupported = 1;
  caps.NoExecuteMemorySupported = 1;
  caps.ZeroInPteSupported = 1;
  caps.CacheCoherentMemorySupported = 1;
  caps.InvalidTlbEntriesNotCached = 1;
  caps.LargePageSupported = (adapter.features & SOFTGPU_FEATURE_LARGE_PAGES) != 0;
  caps.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
  caps.VirtualAddressBitCount = SOFTGPU_VIRTUAL_BITS;
  caps.LeafPageTableSizeFor64KPagesInBytes = SOFTGPU_TABLE_BYTES;
  caps.PageTableLevelCount = SOFTGPU_LEVELS;
  return caps;
}

// All levels alike. The paging process's tables are written by the CPU, whatever the update mode: in system memory it
// reaches them without the bar.
NTSTATUS page_table_level_desc(UINT level, DXGK_PAGE_TABLE_LEVEL_DESC& description) {
  if (level >= SOFTGPU_LEVELS) return STATUS_INVALID_PARAMETER;
  description.PageTableIndexBitCount = SOFTGPU_LEVEL_BITS;
  description.PageTableSegmentId = SOFTGPU_SEGMENT_LOCAL;
  description.PagingProcessPageTableSegmentId = SOFTGPU_SEGMENT_SYSTEM;
  description.PageTableSizeInBytes = SOFTGPU_TABLE_BYTES;
  description.PageTableAlignmentInBytes = SOFTGPU_TABLE_BYTES;
  return STATUS_SUCCESS;
}

}  // namespace softgpu
