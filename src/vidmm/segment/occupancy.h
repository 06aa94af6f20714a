#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vidmm/manager/budget.h"
#include "vidmm/segment/eviction_order.h"
#include "vidmm/segment/hole_index.h"
#include "vidmm/segment/segment.h"

namespace vidmm {

// Which block is where, and all that follows from it. Owned by the pager.
//
// A block's state changes in change() only. What follows from the state and from the block's users (its group in the
// eviction order, the devices' missing entries, the processes' usage) is taken back by leave() and established by
// enter(). So users, priority and offer are changed between the two.
//
// change() keeps the states it replaces until forget(). A request that fails half way is undone by walking them
// backwards: each step back finds exactly the space that its step forward had left.
class Occupancy {
 public:
  Occupancy(std::span<const SegmentInfo> segments, bool locked_blocks_stay, Budgets& budgets);

  size_t segment_count() const { return segments_.size(); }
  Segment& segment(uint32_t id) { return segments_[id - 1]; }
  const Segment& segment(uint32_t id) const { return segments_[id - 1]; }
  EvictionOrder& victims() { return victims_; }
  // Where a contiguous range can be made; begins to be kept when it is first asked for.
  HoleIndex& holes(uint32_t id);

  // The extents of the new place are the block's already (allocated by the caller); those of the old one are freed.
  void change(Block& block, BlockState next);

  size_t mark() const { return journal_.size(); }
  void rollback(size_t mark);
  void forget() { journal_.clear(); }

  void leave(Block& block);
  void enter(Block& block);

  static MemoryGroup group_of(const SegmentInfo& segment);
  // Where the block is counted: where it is, or where it would like to be.
  MemoryGroup group_of(const Block& block) const;

 private:
  struct Undo {
    Block* block;
    BlockState before;
  };

  void note_change(const Block& block);
  void settle_users(Block& block);
  void vacate(Block& block);
  void occupy(Block& block);

  std::vector<Segment> segments_;
  std::vector<std::unique_ptr<HoleIndex>> holes_;  // of segments, where they are kept
  EvictionOrder victims_;
  Budgets& budgets_;
  uint64_t round_ = 0;
  std::vector<Undo> journal_;
};

}  // namespace vidmm
