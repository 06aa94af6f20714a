#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "vidmm/segment/hole_finder.h"
#include "vidmm/segment/occupancy.h"

namespace vidmm::testing {

// The choice of PlacementSearch by address in one segment, found by a walk over all of it: the index is compared with
// it.
class LinearPlacement {
 public:
  struct Choice {
    Extent extent;
    std::vector<Block*> victims;  // in the order in which they go
    bool commits;                 // with them gone the commit limit allows it
  };

  static std::optional<Choice> choose(Occupancy& occupancy, uint32_t id, const HoleRequest& request,
                                      uint32_t highest_class, const Claim& claim) {
    const Segment& segment = occupancy.segment(id);
    std::vector<Victim> found;
    occupancy.victims().collect(id, highest_class, claim, found, [](const Block&) { return false; });
    struct Piece {
      Extent extent;
      size_t victim;
    };
    std::vector<Piece> pieces;
    for (size_t i = 0; i < found.size(); ++i) {
      for (const Extent& extent : found[i].block->place().extents) pieces.push_back({extent, i});
    }
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.extent.offset < b.extent.offset; });
    std::vector<Occupant> occupants;
    for (const Piece& piece : pieces) {
      uint64_t pages = piece.extent.bytes / segment.page_bytes;
      occupants.push_back({piece.extent, pages << (2 * found[piece.victim].tier), true});
    }
    std::vector<Extent> gaps;
    segment.space.for_each_gap([&](const Extent& gap) { gaps.push_back(gap); });
    std::optional<HolePlan> hole = find_hole(request, occupants, gaps);
    if (!hole) return std::nullopt;

    std::vector<bool> chosen(found.size());
    for (size_t i = 0; i < hole->count; ++i) chosen[pieces[hole->first + i].victim] = true;
    Choice choice{hole->extent, {}, false};
    uint64_t commit = segment.commit_left();
    auto take = [&](size_t i) {
      choice.victims.push_back(found[i].block);
      commit += segment.footprint(found[i].block->bytes());
    };
    for (size_t i = 0; i < found.size(); ++i) {
      if (chosen[i]) take(i);
    }
    for (size_t i = 0; i < found.size() && commit < request.bytes; ++i) {
      if (!chosen[i]) take(i);
    }
    choice.commits = commit >= request.bytes;
    return choice;
  }
};

}  // namespace vidmm::testing
