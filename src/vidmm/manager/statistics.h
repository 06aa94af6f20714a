#pragma once

#include <array>
#include <cstdint>

#include "vidmm/manager/block.h"

namespace vidmm {

// Why a block left its place; the names are those of the counters in D3DKMT_QUERYSTATISTICS.
enum class EvictionCause : uint8_t { Preparation, Lock, Close, Purge, Evict };
inline constexpr size_t kEvictionCauses = 5;

// What happened in one segment since the adapter started.
struct SegmentStatistics {
  uint64_t resident_bytes = 0;  // now
  uint64_t resident_blocks = 0;
  uint64_t paged_in_bytes = 0;  // with content: filled or transferred
  uint64_t paged_out_bytes = 0;
  uint64_t discarded_bytes = 0;  // evicted without a copy
  uint64_t moved_bytes = 0;
  uint64_t demotions = 0;  // blocks that prefer another segment
  std::array<uint64_t, kEvictionCauses> evictions{};
  std::array<uint64_t, kPriorityClasses> evicted_bytes_by_priority{};

  uint64_t evictions_for(EvictionCause cause) const { return evictions[static_cast<size_t>(cause)]; }
};

}  // namespace vidmm
