#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vidmm/manager/options.h"
#include "vidmm/segment/occupancy.h"

namespace vidmm {

// Finds where a block can be placed, and which blocks have to be evicted for it. Owned by the pager. Only searches:
// evicts nothing.
//
// The segments are tried in the order of the block's preferences, then the rest of those it supports, in three rounds:
// evicting nothing that is more important than the block; evicting anything idle; evicting anything, where the claim
// goes that far. So a block is demoted to a less preferred segment before blocks of higher priority are evicted for it.
class PlacementSearch {
 public:
  PlacementSearch(Occupancy& occupancy, const Options& options) : occupancy_(occupancy), options_(options) {}

  struct Spot {
    uint32_t segment = 0;
    bool addressed = true;            // takes a range of the segment, not only of its commit limit
    SegmentSpace::Request request;    // that succeeds when the victims are gone
    std::span<Block* const> victims;  // until the next search
  };
  bool find(const Block& block, const Claim& claim, Spot& spot);
  // The same among apertures only.
  bool find_in_aperture(const Block& block, const Claim& claim, Spot& spot);

  // It would fit into some segment that holds nothing else.
  bool fits_alone(const Block& block);
  // Some segment is left for it: a locked block can only be where the CPU sees it.
  bool has_candidates(const Block& block);
  bool cpu_reaches(const Block& block, uint32_t segment) const;
  bool addressed(const Block& block, const Segment& segment) const;
  SegmentSpace::Request request(const Block& block, const Segment& segment) const;

 private:
  struct Candidate {
    uint32_t segment;
    bool from_end;
  };

  void list_candidates(const Block& block);
  void add_candidate(const Block& block, SegmentPreference preference);
  bool find_among_candidates(const Block& block, const Claim& claim, Spot& spot);
  bool try_segment(const Block& block, const Candidate& candidate, uint32_t highest_class, const Claim& claim,
                   Spot& spot);
  bool room_without_victims(Segment& segment, const Spot& spot);
  bool choose_by_order(const Segment& segment, uint32_t highest_class, const Claim& claim, const Spot& spot);
  bool choose_by_address(const Segment& segment, uint32_t highest_class, const Claim& claim, Spot& spot);
  bool choose_for_commitment(const Segment& segment, uint32_t highest_class, const Claim& claim, uint64_t bytes);

  Occupancy& occupancy_;
  const Options& options_;
  // Of the search under way.
  std::vector<Candidate> candidates_;
  std::vector<Victim> found_;
  std::vector<Block*> victims_;
};

}  // namespace vidmm
