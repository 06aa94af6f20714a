#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "dxgk/ddi/ddi.h"

namespace dxgk {

// A memory segment as the driver described it, whichever of the three query versions it answered.
struct Segment {
  uint32_t id;  // counts from 1
  uint64_t base;
  uint64_t cpu_base;  // 0: not visible
  uint64_t size;
  uint64_t commit_limit;
  bool aperture;
  bool cpu_visible;
  bool cache_coherent;
  DXGK_SEGMENTFLAGS flags;
};

// What the driver said of itself at start. Written by the start, constant while the adapter is started.
struct AdapterCaps {
  uint32_t version = 0;  // DXGKDDI_INTERFACE_VERSION_*, as declared to DxgkInitialize
  DriverKind kind = DriverKind::Full;
  DXGK_DRIVERCAPS driver{};
  bool gpu_mmu = false;
  bool io_mmu = false;
  bool move_paging = false;  // MovePagingSupported: what lies in a segment may be moved within it
  DXGK_GPUMMUCAPS mmu{};
  std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> page_table_levels;
  std::vector<Segment> segments;
  uint32_t paging_segment = 0;
  uint32_t paging_buffer_bytes = 0;
  uint32_t paging_private_bytes = 0;
  uint32_t nodes = 0;
  uint32_t paging_node = 0;
  uint32_t sources = 0;  // VidPN sources
  uint32_t children = 0;

  bool wddm2() const { return version >= DXGKDDI_INTERFACE_VERSION_WDDM2_0; }
  const Segment* segment(uint32_t id) const { return id >= 1 && id <= segments.size() ? &segments[id - 1] : nullptr; }
  uint32_t aperture_set() const {
    uint32_t set = 0;
    for (const Segment& segment : segments) {
      if (segment.aperture) set |= 1u << (segment.id - 1);
    }
    return set;
  }
  uint32_t segment_set() const { return segments.empty() ? 0 : ~0u >> (32 - segments.size()); }

  // Processes have address spaces of the GPU, and the driver is told of processes (DxgkDdiCreateProcess).
  bool address_spaces() const { return gpu_mmu || io_mmu; }
  // The machine's memory as a segment, which no driver describes. The pages know it as 0; published drivers name it by
  // the id after their last (observed in microsoft/graphics-driver-samples). 0: there is no such id.
  uint32_t system_segment() const {
    return wddm2() && segments.size() < 32 ? static_cast<uint32_t>(segments.size()) + 1 : 0;
  }
  uint32_t described_segment(uint32_t id) const {
    if (!id || id != system_segment()) return id;
    uint32_t apertures = aperture_set();
    return apertures ? static_cast<uint32_t>(std::countr_zero(apertures)) + 1 : 0;
  }
  // A driver's set of segments without the system's, for which the aperture stands: that is how the pages tell drivers
  // to place an allocation there.
  uint32_t described_segments(uint32_t set) const {
    uint32_t system = system_segment();
    if (!system || !(set >> (system - 1) & 1)) return set;
    return (set & ~(1u << (system - 1))) | aperture_set();
  }
};

}  // namespace dxgk
