// The rules about segments, page tables and the paging context.
#include <fmt/format.h>

#include <algorithm>

#include "base/align.h"
#include "base/raw_enum.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/adapter/caps_check.h"
#include "dxgk/ddi/driver.h"
#include "dxgk/paging/paging_buffer.h"

namespace dxgk {
namespace {

constexpr uint64_t kMostSegmentBytes = uint64_t{1} << 43;    // a segment has less than 2^31 pages (vidmm)
constexpr unsigned kMostIndexBits = 20, kLeastLeafBits = 4;  // of page tables (vidmm)

using Broken = std::optional<CapsViolation>;

bool applies(CapsRule rule, const CapsFacts& facts) {
  return row(rule).kinds.has(facts.caps.kind) && static_cast<uint32_t>(row(rule).since) <= facts.caps.version;
}

CapsViolation of_segment(CapsRule rule, const Segment& segment) {
  return {rule, fmt::format("segment {}", segment.id)};
}
CapsViolation of_level(CapsRule rule, size_t level) { return {rule, fmt::format("level {}", level)}; }

bool wrong_preservation(DXGK_SEGMENTFLAGS flags) {
  bool hibernate = flags.PreservedDuringHibernate || flags.PartiallyPreservedDuringHibernate;
  bool both = flags.PreservedDuringHibernate && flags.PartiallyPreservedDuringHibernate;
  return (hibernate && !flags.PreservedDuringStandby) || both;
}

// Where the processor sees a local segment, there must be memory of the device.
bool outside_device(const Segment& segment, const CapsFacts& facts) {
  const auto& ranges = facts.hardware.memory;
  if (segment.aperture || !segment.cpu_visible || ranges.empty()) return false;
  return std::none_of(ranges.begin(), ranges.end(), [&](const nt::Device::Range& range) {
    return segment.cpu_base >= range.physical && segment.size <= range.bytes &&
           segment.cpu_base - range.physical <= range.bytes - segment.size;
  });
}

struct SegmentCheck {
  CapsRule rule;
  bool (*broken)(const Segment& segment, const CapsFacts& facts);
};

constexpr SegmentCheck kEachSegment[] = {
    {CapsRule::SegmentLimit,
     [](const Segment& s, const CapsFacts&) { return s.size >= kMostSegmentBytes || s.base + s.size < s.base; }},
    {CapsRule::SegmentSize,
     [](const Segment& s, const CapsFacts&) { return s.size == 0 || s.size % base::kPageBytes != 0; }},
    {CapsRule::SegmentAgpAlone,
     [](const Segment& s, const CapsFacts&) {
       DXGK_SEGMENTFLAGS alone{};
       alone.Agp = 1;
       return s.flags.Agp && s.flags.Value != alone.Value;
     }},
    {CapsRule::SegmentPreserved, [](const Segment& s, const CapsFacts&) { return wrong_preservation(s.flags); }},
    {CapsRule::SegmentHostAperture,
     [](const Segment& s, const CapsFacts&) { return s.flags.SupportsCpuHostAperture && s.flags.CpuVisible; }},
    {CapsRule::SegmentCachedHostAperture,
     [](const Segment& s, const CapsFacts&) {
       return s.flags.SupportsCachedCpuHostAperture && !s.flags.SupportsCpuHostAperture;
     }},
    {CapsRule::SegmentHostApertureSlots,
     [](const Segment& s, const CapsFacts& f) {
       return s.flags.SupportsCpuHostAperture &&
              !(fills(f.table, Ddi::MapCpuHostAperture) && fills(f.table, Ddi::UnmapCpuHostAperture));
     }},
    {CapsRule::SegmentExtent, &outside_device},
};

Broken each_segment(const CapsFacts& facts) {
  for (const Segment& segment : facts.caps.segments) {
    for (const SegmentCheck& check : kEachSegment) {
      if (applies(check.rule, facts) && check.broken(segment, facts)) return of_segment(check.rule, segment);
    }
  }
  return std::nullopt;
}

Broken overlap(const CapsFacts& facts) {
  const auto& all = facts.caps.segments;
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t k = i + 1; k < all.size(); ++k) {
      if (all[i].aperture || all[k].aperture) continue;
      if (all[i].base < all[k].base + all[k].size && all[k].base < all[i].base + all[i].size) {
        return CapsViolation{CapsRule::SegmentOverlap, fmt::format("segments {} and {}", all[i].id, all[k].id)};
      }
    }
  }
  return std::nullopt;
}

Broken paging_buffer(const CapsFacts& facts) {
  const AdapterCaps& caps = facts.caps;
  if (caps.paging_segment > caps.segments.size()) return CapsViolation{CapsRule::PagingBufferSegmentRange, {}};
  const Segment* segment = caps.segment(caps.paging_segment);
  if (segment && !segment->aperture) return CapsViolation{CapsRule::PagingBufferSegment, {}};
  if (caps.paging_buffer_bytes == 0) return CapsViolation{CapsRule::PagingBufferSize, {}};
  uint64_t needed = paging_aperture_bytes(caps.paging_buffer_bytes);
  if (segment && segment->size < needed) {
    return CapsViolation{CapsRule::PagingBufferRoom, fmt::format("{} of {} byte(s)", segment->size, needed)};
  }
  return std::nullopt;
}

Broken one_aperture(const CapsFacts& facts) {
  const auto& all = facts.caps.segments;
  auto apertures = std::count_if(all.begin(), all.end(), [](const Segment& segment) { return segment.aperture; });
  if (apertures == 1 || !applies(CapsRule::SegmentOneAperture, facts)) return std::nullopt;
  return CapsViolation{CapsRule::SegmentOneAperture, fmt::format("{} have", apertures)};
}

// Levels from 1 on are directories; 0 is the leaf.
Broken page_table_update(const CapsFacts& facts) {
  const AdapterCaps& caps = facts.caps;
  if (!caps.gpu_mmu) return std::nullopt;
  uint32_t mode = base::raw(caps.mmu.PageTableUpdateMode);
  if (mode > DXGK_PAGETABLEUPDATE_GPU_PHYSICAL) {
    return CapsViolation{CapsRule::PageTableUpdateModeUnknown, fmt::format("it is {}", mode)};
  }
  if (mode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) return std::nullopt;
  for (size_t level = 1; level < caps.page_table_levels.size(); ++level) {
    const Segment* segment = caps.segment(caps.page_table_levels[level].PageTableSegmentId);
    if (segment && !segment->aperture) return of_level(CapsRule::PageTableUpdateMode, level);
  }
  return std::nullopt;
}

// Every table lies in a segment of the driver's, or in the machine's memory. Asked when the segments are known.
Broken page_table_segments(const CapsFacts& facts) {
  const AdapterCaps& caps = facts.caps;
  if (!caps.gpu_mmu) return std::nullopt;
  for (size_t level = 0; level < caps.page_table_levels.size(); ++level) {
    const DXGK_PAGE_TABLE_LEVEL_DESC& desc = caps.page_table_levels[level];
    for (uint32_t id : {desc.PageTableSegmentId, desc.PagingProcessPageTableSegmentId}) {
      if (id != 0 && id != caps.system_segment() && !caps.segment(id)) {
        return CapsViolation{CapsRule::PageTableSegment, fmt::format("level {}: segment {}", level, id)};
      }
    }
  }
  return std::nullopt;
}

// The root of two levels grows, so its size is not told here (DxgkDdiGetRootPageTableSize).
Broken page_table_level(const DXGK_PAGE_TABLE_LEVEL_DESC& desc, size_t level, bool grows) {
  unsigned bits = desc.PageTableIndexBitCount;
  bool empty = desc.PageTableSizeInBytes == 0 && !grows;
  if (empty || bits > kMostIndexBits || (level == 0 && bits < kLeastLeafBits))
    return of_level(CapsRule::PageTableLimits, level);
  if (desc.PageTableSizeInBytes % base::kPageBytes != 0) return of_level(CapsRule::PageTableSize, level);
  bool in_system_memory = desc.PageTableSegmentId == 0 || desc.PagingProcessPageTableSegmentId == 0;
  if (in_system_memory && desc.PageTableSizeInBytes > base::kPageBytes)
    return of_level(CapsRule::PageTableSystemMemory, level);
  return std::nullopt;
}

}  // namespace

Broken check_page_tables(const CapsFacts& facts) {
  const DXGK_GPUMMUCAPS& mmu = facts.caps.mmu;
  if (mmu.PageTableLevelCount < DXGK_MIN_PAGE_TABLE_LEVEL_COUNT ||
      mmu.PageTableLevelCount > DXGK_MAX_PAGE_TABLE_LEVEL_COUNT) {
    return CapsViolation{CapsRule::PageTableLevels, fmt::format("it is {}", mmu.PageTableLevelCount)};
  }
  if (mmu.VirtualAddressBitCount > DXGK_MAX_GPU_VA_BIT_COUNT) {
    return CapsViolation{CapsRule::PageTableLimits, fmt::format("{} bits", mmu.VirtualAddressBitCount)};
  }
  if (mmu.LeafPageTableSizeFor64KPagesInBytes % base::kPageBytes != 0) return CapsViolation{CapsRule::LeafTable64K, {}};
  UINT bits = 12;
  const auto& levels = facts.caps.page_table_levels;
  for (size_t level = 0; level < levels.size(); ++level) {
    bool grows = levels.size() == 2 && level == 1;
    if (auto violation = page_table_level(levels[level], level, grows)) return violation;
    bits += levels[level].PageTableIndexBitCount;
  }
  if (levels.empty() || bits == mmu.VirtualAddressBitCount) return std::nullopt;
  return CapsViolation{CapsRule::PageTableBits, fmt::format("they add up to {}", bits)};
}

Broken check_segments(const CapsFacts& facts) {
  if (auto violation = each_segment(facts)) return violation;
  if (auto violation = overlap(facts)) return violation;
  if (auto violation = paging_buffer(facts)) return violation;
  if (auto violation = one_aperture(facts)) return violation;
  if (auto violation = page_table_segments(facts)) return violation;
  return page_table_update(facts);
}

Broken check_paging_context(const CapsFacts& facts) {
  if (!applies(CapsRule::ContextDmaSegments, facts)) return std::nullopt;
  uint32_t outside = facts.paging_context.DmaBufferSegmentSet & ~facts.caps.aperture_set();
  return outside ? std::optional(CapsViolation{CapsRule::ContextDmaSegments, {}}) : std::nullopt;
}

}  // namespace dxgk
