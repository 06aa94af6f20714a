#include "vidmm/segment/occupancy.h"

#include <bit>
#include <utility>

#include "base/check.h"

namespace vidmm {

Occupancy::Occupancy(std::span<const SegmentInfo> segments, bool locked_blocks_stay, Budgets& budgets)
    : holes_(segments.size()), victims_(segments.size(), locked_blocks_stay), budgets_(budgets) {
  segments_.reserve(segments.size());
  uint64_t capacity[kMemoryGroups] = {};
  for (const SegmentInfo& info : segments) {
    CHECK(info.id == segments_.size() + 1);
    segments_.emplace_back(info);
    capacity[static_cast<size_t>(group_of(info))] += segments_.back().capacity;
  }
  budgets_.set_capacity(MemoryGroup::Local, capacity[0]);
  budgets_.set_capacity(MemoryGroup::NonLocal, capacity[1]);
}

MemoryGroup Occupancy::group_of(const SegmentInfo& segment) {
  if (segment.local_budget) return MemoryGroup::Local;
  return segment.nonlocal_budget || segment.aperture ? MemoryGroup::NonLocal : MemoryGroup::Local;
}

MemoryGroup Occupancy::group_of(const Block& block) const {
  uint32_t id = block.place().segment;
  if (id == 0) id = block.traits().preferred[0].segment;
  if (id == 0) id = static_cast<uint32_t>(std::countr_zero(block.traits().supported)) + 1;
  return id <= segments_.size() ? group_of(segment(id).info) : MemoryGroup::NonLocal;
}

HoleIndex& Occupancy::holes(uint32_t id) {
  std::unique_ptr<HoleIndex>& holes = holes_[id - 1];
  if (!holes) {
    Segment& at = segment(id);
    victims_.for_each(id, [&](Block& block) {
      for (const Extent& extent : block.place().extents) at.space.set_owner(extent, &block);
    });
    holes = std::make_unique<HoleIndex>(at, victims_);
  }
  return *holes;
}

void Occupancy::note_change(const Block& block) {
  if (block.place().none()) return;
  HoleIndex* holes = holes_[block.place().segment - 1].get();
  if (!holes) return;
  for (const Extent& extent : block.place().extents) holes->changed(extent);
}

void Occupancy::leave(Block& block) {
  note_change(block);
  if (block.group_) victims_.unlink(block);
  ++round_;
  MemoryGroup group = group_of(block);
  for (ResidencyEntry* user = block.users_; user; user = user->next_user) {
    if (block.required()) user->device->required_bytes_ -= block.bytes();
    ProcessMemory& process = user->device->process();
    if (budgets_.first_in_round(process, round_)) budgets_.discharge(process, group, block.bytes());
  }
}

void Occupancy::enter(Block& block) {
  if (!block.place().none()) victims_.link(block);
  settle_users(block);
}

void Occupancy::settle_users(Block& block) {
  ++round_;
  MemoryGroup group = group_of(block);
  bool missing = block.required() && !block.resident();
  for (ResidencyEntry* user = block.users_; user; user = user->next_user) {
    if (block.required()) user->device->required_bytes_ += block.bytes();
    user->device->set_missing(*user, missing);
    ProcessMemory& process = user->device->process();
    if (budgets_.first_in_round(process, round_)) budgets_.charge(process, group, block.bytes());
  }
}

void Occupancy::vacate(Block& block) {
  const Place& place = block.place();
  if (place.none()) return;
  Segment& segment = segments_[place.segment - 1];
  for (const Extent& extent : place.extents) segment.space.free(extent);
  uint64_t bytes = segment.footprint(block.bytes());
  segment.committed -= bytes;
  segment.statistics.resident_bytes -= bytes;
  --segment.statistics.resident_blocks;
}

void Occupancy::occupy(Block& block) {
  const Place& place = block.place();
  if (place.none()) return;
  Segment& segment = segments_[place.segment - 1];
  uint64_t bytes = segment.footprint(block.bytes());
  segment.committed += bytes;
  segment.statistics.resident_bytes += bytes;
  ++segment.statistics.resident_blocks;
  if (!holes_[place.segment - 1]) return;
  for (const Extent& extent : place.extents) segment.space.set_owner(extent, &block);
  note_change(block);
}

void Occupancy::change(Block& block, BlockState next) {
  leave(block);
  vacate(block);
  journal_.push_back({&block, std::exchange(block.state_, std::move(next))});
  occupy(block);
  enter(block);
}

void Occupancy::rollback(size_t mark) {
  while (journal_.size() > mark) {
    Undo& undo = journal_.back();
    Block& block = *undo.block;
    leave(block);
    vacate(block);
    block.state_ = std::move(undo.before);
    for (const Extent& extent : block.place().extents) {
      CHECK(segment(block.place().segment).space.allocate_at(extent.offset, extent.bytes));
    }
    occupy(block);
    if (!block.place().none()) victims_.link_first(block);
    settle_users(block);
    journal_.pop_back();
  }
}

}  // namespace vidmm
