#pragma once

#include <cstdint>
#include <span>

#include "vidmm/manager/options.h"
#include "vidmm/manager/plan.h"
#include "vidmm/segment/occupancy.h"
#include "vidmm/segment/placement_search.h"

namespace vidmm {

// Brings single blocks in and out of segments: changes the block's state and appends the ops that make it true. Owned
// by the manager, which decides which blocks.
class Pager {
 public:
  Pager(std::span<const SegmentInfo> segments, const Options& options, Budgets& budgets)
      : options_(options), occupancy_(segments, !options.gpu_mmu, budgets), room_(occupancy_, options_) {}
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  const Options& options() const { return options_; }
  void set_knobs(const Knobs& knobs) { options_.knobs = knobs; }
  Occupancy& occupancy() { return occupancy_; }
  const Occupancy& occupancy() const { return occupancy_; }
  PlacementSearch& room() { return room_; }

  // What is done after a mark can be undone, until commit().
  struct Mark {
    size_t states;
    size_t ops;
  };
  Mark mark(const Plan& plan) const { return {occupancy_.mark(), plan.size()}; }
  void rollback(const Mark& mark, Plan& plan);
  // The changes since the mark are final; they are counted in the statistics.
  void commit(const Mark& mark, const Plan& plan, EvictionCause cause);

  // True when the block is in a segment afterwards; others may have been evicted for it. False: nothing has changed.
  bool page_in(Block& block, const Claim& claim, Plan& plan);
  // Exactly there. False: it is not free, and nothing has changed.
  bool page_in_at(Block& block, const Place& place, Plan& plan);
  // To system memory. An offered block loses its content, unless a knob forbids it.
  void page_out(Block& block, Plan& plan);
  // Into an aperture, where the CPU sees it. False: there is none for it, and nothing has changed.
  bool move_to_aperture(Block& block, const Claim& claim, Plan& plan);
  // To another place in its segment. False: the request has no room, and nothing has changed.
  bool move_within(Block& block, const SegmentSpace::Request& request, Plan& plan);
  // Drops the content, also that of the backing, and the place.
  void discard(Block& block, Plan& plan);
  // Takes the block out of its place, with no op for the content: the content is never used again.
  void drop(Block& block, Plan& plan);
  // The adapter has lost the content of its segments.
  void lose(Block& block, Plan& plan);

  // Whether the segment may hold something that the backing does not.
  bool dirty(const Block& block) const;

 private:
  using Kind = PagingOp::Kind;

  bool aperture(const Place& place) const { return !place.none() && occupancy_.segment(place.segment).info.aperture; }
  bool mapped(const Place& place) const { return aperture(place) && !place.extents.empty(); }
  Place allocate(const PlacementSearch::Spot& spot);
  Place make_room(const PlacementSearch::Spot& spot, Plan& plan);
  void copy_out(Block& block, Plan& plan);
  bool find_eviction_range(const Block& block, Place& range);
  void begin_leaving(Block& block, Plan& plan);
  void finish_leaving(Block& block, BlockState next, Plan& plan);
  void arrive(Block& block, Place to, Plan& plan);  // from system memory
  void finish_arriving(Block& block, BlockState next, Plan& plan);
  void relocate(Block& block, Place to, Plan& plan);

  Options options_;
  Occupancy occupancy_;
  PlacementSearch room_;
};

}  // namespace vidmm
