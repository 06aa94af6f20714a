#include "vidmm/manager/pager.h"

#include <bit>
#include <utility>

#include "base/check.h"

namespace vidmm {

void Pager::rollback(const Mark& mark, Plan& plan) {
  occupancy_.rollback(mark.states);
  plan.cut(mark.ops);
}

void Pager::commit(const Mark& mark, const Plan& plan, EvictionCause cause) {
  occupancy_.forget();
  for (const PagingOp& op : plan.ops().subspan(mark.ops)) {
    uint64_t bytes = op.block->bytes();
    auto from = [&]() -> SegmentStatistics& { return occupancy_.segment(op.from.segment).statistics; };
    auto to = [&]() -> SegmentStatistics& { return occupancy_.segment(op.to.segment).statistics; };
    switch (op.kind) {
      case Kind::Fill:
      case Kind::TransferIn:
        to().paged_in_bytes += bytes;
        break;
      case Kind::TransferOut:
        from().paged_out_bytes += bytes;
        break;
      case Kind::Move:
        to().moved_bytes += bytes;
        break;
      case Kind::Discard:
        if (!op.from.none()) from().discarded_bytes += bytes;
        break;
      case Kind::Rebind: {
        if (!op.to.none()) {
          uint32_t preferred = op.block->traits().preferred[0].segment;
          if (op.from.none() && preferred != 0 && preferred != op.to.segment) ++to().demotions;
          break;
        }
        ++from().evictions[static_cast<size_t>(cause)];
        from().evicted_bytes_by_priority[priority_class(op.block->traits().priority)] += bytes;
        break;
      }
      default:
        break;
    }
  }
}

bool Pager::dirty(const Block& block) const {
  if (block.content() != Content::Segment) return false;
  if (block.state_.written) return true;
  if (options_.writes_are_told) return false;
  for (const ResidencyEntry* user = block.users_; user; user = user->next_user) {
    if (!user->promised || user->promised_at_run != user->device->runs_) return true;
  }
  return false;
}

Place Pager::allocate(const PlacementSearch::Spot& spot) {
  Place place;
  place.segment = spot.segment;
  if (!spot.addressed) return place;
  ExtentList extents;
  CHECK(occupancy_.segment(spot.segment).space.allocate(spot.request, extents));
  place.extents.assign(extents.begin(), extents.end());
  return place;
}

Place Pager::make_room(const PlacementSearch::Spot& spot, Plan& plan) {
  for (Block* victim : spot.victims) page_out(*victim, plan);
  return allocate(spot);
}

bool Pager::page_in(Block& block, const Claim& claim, Plan& plan) {
  if (block.resident()) return true;
  PlacementSearch::Spot spot;
  if (!room_.find(block, claim, spot)) return false;
  arrive(block, make_room(spot, plan), plan);
  return true;
}

bool Pager::page_in_at(Block& block, const Place& place, Plan& plan) {
  SegmentSpace& space = occupancy_.segment(place.segment).space;
  size_t taken = 0;
  for (; taken < place.extents.size(); ++taken) {
    if (!space.allocate_at(place.extents[taken].offset, place.extents[taken].bytes)) break;
  }
  if (taken == place.extents.size()) {
    arrive(block, place, plan);
    return true;
  }
  while (taken > 0) space.free(place.extents[--taken]);
  return false;
}

void Pager::arrive(Block& block, Place to, Plan& plan) {
  BlockState next = block.state_;
  if (aperture(to)) {
    if (mapped(to)) plan.add(Kind::MapAperture, block, {}, to);
    next.content = Content::Backing;
  } else {
    plan.add(block.content() == Content::None ? Kind::Fill : Kind::TransferIn, block, {}, to);
    next.origin = block.content();
    next.content = Content::Segment;
    // Only this place has the zeros, and a lock's address leads here from now on.
    next.written = (block.content() == Content::None && block.state_.stale) || block.locked();
  }
  next.place = std::move(to);
  finish_arriving(block, std::move(next), plan);
}

void Pager::finish_arriving(Block& block, BlockState next, Plan& plan) {
  Place from = block.place();
  bool fresh = block.content() == Content::None;
  occupancy_.change(block, std::move(next));
  plan.add(Kind::Rebind, block, from, block.place());
  if (fresh && block.traits().context) plan.add(Kind::InitContext, block, {}, block.place());
  if (block.traits().explicit_notification) plan.add(Kind::NotifyResident, block, {}, block.place());
}

void Pager::begin_leaving(Block& block, Plan& plan) {
  plan.add(Kind::WaitIdle, block, {}, {});
  if (block.traits().explicit_notification) plan.add(Kind::NotifyEvict, block, block.place(), {});
}

void Pager::finish_leaving(Block& block, BlockState next, Plan& plan) {
  if (mapped(block.place())) plan.add(Kind::UnmapAperture, block, block.place(), {});
  plan.add(Kind::Rebind, block, block.place(), {});
  next.place = {};
  occupancy_.change(block, std::move(next));
}

void Pager::page_out(Block& block, Plan& plan) {
  CHECK(!block.place().none());
  if (block.offered() && !options_.knobs.never_discard_offer) return discard(block, plan);
  begin_leaving(block, plan);
  BlockState next = block.state_;
  if (dirty(block)) {
    copy_out(block, plan);
    next.content = Content::Backing;
  } else if (block.content() == Content::Segment) {
    plan.add(Kind::Discard, block, block.place(), {});
    next.content = block.state_.origin;
  }
  next.written = false;
  finish_leaving(block, std::move(next), plan);
}

void Pager::copy_out(Block& block, Plan& plan) {
  Place range;
  if (!find_eviction_range(block, range)) return plan.add(Kind::TransferOut, block, block.place(), {});
  plan.add(Kind::MapAperture, block, {}, range);
  plan.add(Kind::TransferOut, block, block.place(), range);
  plan.add(Kind::UnmapAperture, block, range, {});
}

// Ops are executed in order, so the range is free again for the next op.
bool Pager::find_eviction_range(const Block& block, Place& range) {
  if (options_.gpu_mmu) return false;
  for (uint32_t set = block.traits().eviction; set; set &= set - 1) {
    uint32_t id = static_cast<uint32_t>(std::countr_zero(set)) + 1;
    if (id > occupancy_.segment_count()) return false;
    Segment& segment = occupancy_.segment(id);
    SegmentSpace::Request request = room_.request(block, segment);
    ExtentList extents;
    if (segment.commit_left() < request.bytes || !segment.space.allocate(request, extents)) continue;
    range.segment = id;
    range.extents.assign(extents.begin(), extents.end());
    for (const Extent& extent : extents) segment.space.free(extent);
    return true;
  }
  return false;
}

void Pager::relocate(Block& block, Place to, Plan& plan) {
  begin_leaving(block, plan);
  BlockState next = block.state_;
  if (mapped(to)) plan.add(Kind::MapAperture, block, {}, to);
  plan.add(Kind::Move, block, block.place(), to);
  if (aperture(to)) {
    next.content = Content::Backing;
    next.written = false;
  }
  next.place = std::move(to);
  finish_arriving(block, std::move(next), plan);
}

bool Pager::move_to_aperture(Block& block, const Claim& claim, Plan& plan) {
  PlacementSearch::Spot spot;
  if (!room_.find_in_aperture(block, claim, spot)) return false;
  relocate(block, make_room(spot, plan), plan);
  return true;
}

bool Pager::move_within(Block& block, const SegmentSpace::Request& request, Plan& plan) {
  CHECK(!aperture(block.place()));
  ExtentList extents;
  if (!occupancy_.segment(block.place().segment).space.allocate(request, extents)) return false;
  Place to;
  to.segment = block.place().segment;
  to.extents.assign(extents.begin(), extents.end());
  relocate(block, std::move(to), plan);
  return true;
}

void Pager::discard(Block& block, Plan& plan) {
  BlockState next = block.state_;
  next.content = Content::None;
  next.stale = next.discarded = true;
  next.written = false;
  if (block.place().none()) {
    plan.add(Kind::Discard, block, {}, {});
    occupancy_.change(block, std::move(next));
    return;
  }
  begin_leaving(block, plan);
  plan.add(Kind::Discard, block, block.place(), {});
  finish_leaving(block, std::move(next), plan);
}

void Pager::drop(Block& block, Plan& plan) {
  if (block.place().none()) return;
  if (block.traits().explicit_notification) plan.add(Kind::NotifyEvict, block, block.place(), {});
  BlockState next = block.state_;
  next.content = Content::None;
  finish_leaving(block, std::move(next), plan);
}

void Pager::lose(Block& block, Plan& plan) {
  if (block.place().none()) return;
  BlockState next = block.state_;
  if (!aperture(block.place())) {
    plan.add(Kind::Lose, block, block.place(), {});
    next.content = dirty(block) ? Content::None : block.state_.origin;
    // A program that has it locked sees the backing now, and may write there.
    if (block.locked()) next.content = Content::Backing;
    next.stale |= next.content == Content::None;
    next.discarded |= block.offered() && next.content == Content::None;
    next.written = false;
  }
  finish_leaving(block, std::move(next), plan);
}

}  // namespace vidmm
