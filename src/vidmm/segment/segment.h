#pragma once

#include <cstdint>
#include <vector>

#include "vidmm/manager/statistics.h"
#include "vidmm/segment/segment_space.h"

namespace vidmm {

// A memory segment as the driver described it. Ids count from 1 without a hole.
struct SegmentInfo {
  uint32_t id = 0;
  uint64_t size = 0;
  uint64_t commit_limit = 0;
  bool aperture = false;
  bool cpu_visible = false;
  bool use_64k_pages = false;
  bool local_budget = false;
  bool nonlocal_budget = false;
  std::vector<Extent> bad;  // ranges that are never given out: reserved, or faulty memory
};

// A segment, its space and what was done in it. Owned by the manager.
struct Segment {
  explicit Segment(const SegmentInfo& about);

  uint64_t footprint(uint64_t bytes) const { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }
  uint64_t commit_left() const { return info.commit_limit - committed; }

  SegmentInfo info;
  uint64_t page_bytes;
  SegmentSpace space;
  uint64_t capacity;       // what can be handed out at all
  uint64_t committed = 0;  // with what takes no address
  SegmentStatistics statistics;
};

}  // namespace vidmm
