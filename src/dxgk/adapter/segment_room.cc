#include "dxgk/adapter/segment_room.h"

#include <algorithm>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/work/dma_buffer.h"

namespace dxgk {

SegmentRoom::SegmentRoom(VideoMemory& memory, const DmaContents& contents) {
  memory.assert_locked();
  needs_.resize(contents.list().size());
  for (uint32_t i = 0; i < needs_.size(); ++i) {
    if (Allocation* allocation = contents.allocation(i))
      needs_[i].traits = &memory.block_of(*allocation).block.traits();
  }
  for (const Segment& each : memory.adapter().caps().segments) {
    const vidmm::Segment& segment = memory.manager().segment(each.id);
    uint64_t capacity = std::min(segment.capacity, segment.info.commit_limit);
    segments_.push_back({capacity, segment.page_bytes, capacity});
  }
}

void SegmentRoom::clear() {
  ++part_;
  for (Left& segment : segments_) segment.bytes = segment.capacity;
}

bool SegmentRoom::take(uint32_t segment, uint64_t bytes) {
  Left& left = segments_[segment - 1];
  uint64_t footprint = (bytes + left.page_bytes - 1) / left.page_bytes * left.page_bytes;
  if (footprint > left.bytes) return false;
  left.bytes -= footprint;
  return true;
}

bool SegmentRoom::add(uint32_t allocation_index) {
  Need& need = needs_[allocation_index];
  if (!need.traits || need.traits->supported == 0 || need.part == part_) return true;
  auto supported = [&](uint32_t segment) {
    return segment >= 1 && segment <= segments_.size() && (need.traits->supported >> (segment - 1) & 1);
  };
  bool placed = false;
  for (const vidmm::SegmentPreference& preferred : need.traits->preferred) {
    if (!placed && supported(preferred.segment)) placed = take(preferred.segment, need.traits->bytes);
  }
  for (uint32_t segment = 1; segment <= segments_.size() && !placed; ++segment) {
    if (supported(segment)) placed = take(segment, need.traits->bytes);
  }
  if (placed) need.part = part_;
  return placed;
}

}  // namespace dxgk
