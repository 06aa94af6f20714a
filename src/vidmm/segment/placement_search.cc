#include "vidmm/segment/placement_search.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace vidmm {
namespace {

constexpr size_t kFew = 64;  // candidates: a search around each of them costs less than keeping an index

}  // namespace

bool PlacementSearch::cpu_reaches(const Block& block, uint32_t segment) const {
  if (segment == 0) return true;
  const SegmentInfo& info = occupancy_.segment(segment).info;
  return info.aperture || (info.cpu_visible && block.traits().cpu_follows);
}

bool PlacementSearch::addressed(const Block& block, const Segment& segment) const {
  return !segment.info.aperture || !options_.gpu_mmu || block.traits().contiguous;
}

SegmentSpace::Request PlacementSearch::request(const Block& block, const Segment& segment) const {
  const BlockTraits& traits = block.traits();
  SegmentSpace::Request request{.bytes = segment.footprint(traits.bytes),
                                .alignment = std::lcm(std::max<uint64_t>(traits.alignment, 1), segment.page_bytes),
                                .contiguous = !options_.gpu_mmu || traits.contiguous || traits.at_segment_end};
  request.end = segment.space.size();
  if (traits.at_segment_end) request.begin = segment.footprint(request.end - request.end / 5);
  return request;
}

void PlacementSearch::add_candidate(const Block& block, SegmentPreference preference) {
  uint32_t id = preference.segment;
  if (id == 0 || id > occupancy_.segment_count() || !(block.traits().supported >> (id - 1) & 1)) return;
  if (block.locked() && !cpu_reaches(block, id)) return;
  for (const Candidate& known : candidates_) {
    if (known.segment == id) return;
  }
  candidates_.push_back({id, preference.from_end});
}

void PlacementSearch::list_candidates(const Block& block) {
  candidates_.clear();
  for (const SegmentPreference& preference : block.traits().preferred) {
    add_candidate(block, preference);
    if (options_.knobs.no_demotion && !candidates_.empty()) return;
  }
  for (uint32_t set = block.traits().supported; set; set &= set - 1) {
    add_candidate(block, {static_cast<uint32_t>(std::countr_zero(set)) + 1, false});
  }
}

bool PlacementSearch::has_candidates(const Block& block) {
  list_candidates(block);
  return !candidates_.empty();
}

bool PlacementSearch::fits_alone(const Block& block) {
  list_candidates(block);
  return std::any_of(candidates_.begin(), candidates_.end(), [&](const Candidate& candidate) {
    const Segment& segment = occupancy_.segment(candidate.segment);
    uint64_t limit = addressed(block, segment) ? segment.capacity : segment.info.commit_limit;
    return segment.footprint(block.bytes()) <= limit;
  });
}

bool PlacementSearch::find(const Block& block, const Claim& claim, Spot& spot) {
  list_candidates(block);
  return find_among_candidates(block, claim, spot);
}

bool PlacementSearch::find_in_aperture(const Block& block, const Claim& claim, Spot& spot) {
  list_candidates(block);
  std::erase_if(candidates_, [&](const Candidate& c) { return !occupancy_.segment(c.segment).info.aperture; });
  return find_among_candidates(block, claim, spot);
}

bool PlacementSearch::find_among_candidates(const Block& block, const Claim& claim, Spot& spot) {
  struct Round {
    uint32_t highest_class;
    Reach reach;
  };
  const Round rounds[] = {{priority_class(block.traits().priority), Reach::Idle},
                          {kPriorityClasses - 1, Reach::Idle},
                          {kPriorityClasses - 1, Reach::Running}};
  for (const Round& round : rounds) {
    if (round.reach == Reach::Running && claim.reach == Reach::Idle) return false;
    for (const Candidate& candidate : candidates_) {
      if (try_segment(block, candidate, round.highest_class, {claim.device, round.reach}, spot)) return true;
    }
  }
  return false;
}

bool PlacementSearch::try_segment(const Block& block, const Candidate& candidate, uint32_t highest_class,
                                  const Claim& claim, Spot& spot) {
  Segment& segment = occupancy_.segment(candidate.segment);
  spot.segment = candidate.segment;
  spot.addressed = addressed(block, segment);
  spot.request = request(block, segment);
  spot.request.from_end = candidate.from_end;
  found_.clear();
  victims_.clear();
  bool found = room_without_victims(segment, spot);
  if (!found) {
    bool any = !spot.addressed || !spot.request.contiguous;
    found = any ? choose_by_order(segment, highest_class, claim, spot)
                : choose_by_address(segment, highest_class, claim, spot);
  }
  spot.victims = victims_;
  return found;
}

bool PlacementSearch::room_without_victims(Segment& segment, const Spot& spot) {
  if (segment.commit_left() < spot.request.bytes) return false;
  if (!spot.addressed) return true;
  if (segment.space.free_bytes() < spot.request.bytes) return false;
  if (!spot.request.contiguous) return true;
  ExtentList trial;
  if (!segment.space.allocate(spot.request, trial)) return false;
  segment.space.free(*trial.begin());
  return true;
}

bool PlacementSearch::choose_by_order(const Segment& segment, uint32_t highest_class, const Claim& claim,
                                      const Spot& spot) {
  uint64_t commit = segment.commit_left();
  uint64_t space = spot.addressed ? segment.space.free_bytes() : UINT64_MAX;
  bool enough = false;
  occupancy_.victims().collect(segment.info.id, highest_class, claim, found_, [&](const Block& victim) {
    uint64_t bytes = segment.footprint(victim.bytes());
    commit += bytes;
    if (spot.addressed) space += bytes;
    return enough = commit >= spot.request.bytes && space >= spot.request.bytes;
  });
  for (const Victim& victim : found_) victims_.push_back(victim.block);
  return enough;
}

// Blocks next to gaps and to each other, not those that are first in the eviction order: see find_hole().
bool PlacementSearch::choose_by_address(const Segment& segment, uint32_t highest_class, const Claim& claim,
                                        Spot& spot) {
  EvictionOrder& victims = occupancy_.victims();
  victims.collect(segment.info.id, highest_class, claim, found_, [&](const Block&) { return found_.size() > kFew; });
  if (found_.empty()) return false;
  SegmentSpace::Request& request = spot.request;
  HoleIndex& holes = occupancy_.holes(segment.info.id);
  HoleRequest wanted{request.bytes, request.alignment, request.begin, request.end};
  // If only the commit limit is in the way, the best hole may have no victims; find_around() does not find such a hole.
  bool few = found_.size() <= kFew && segment.commit_left() >= request.bytes;
  std::optional<HoleIndex::Hole> hole =
      few ? holes.find_around(wanted, highest_class, claim, found_) : holes.find(wanted, highest_class, claim);
  if (!hole) return false;
  holes.blocks_in(hole->extent, victims_);
  std::sort(victims_.begin(), victims_.end(),
            [&](const Block* a, const Block* b) { return a != b && victims.goes_before(*a, *b); });
  victims_.erase(std::unique(victims_.begin(), victims_.end()), victims_.end());
  request.begin = hole->extent.offset;
  request.end = hole->extent.offset + request.bytes;
  return choose_for_commitment(segment, highest_class, claim, request.bytes);
}

// The window may be smaller than what the commit limit still lacks: then other blocks are evicted as well.
bool PlacementSearch::choose_for_commitment(const Segment& segment, uint32_t highest_class, const Claim& claim,
                                            uint64_t bytes) {
  uint64_t commit = segment.commit_left();
  for (const Block* victim : victims_) commit += segment.footprint(victim->bytes());
  if (commit >= bytes) return true;
  found_.clear();
  size_t chosen = victims_.size();
  size_t met = 0;
  occupancy_.victims().collect(segment.info.id, highest_class, claim, found_, [&](Block& victim) {
    if (met < chosen && victims_[met] == &victim) {
      ++met;
      return false;
    }
    victims_.push_back(&victim);
    commit += segment.footprint(victim.bytes());
    return commit >= bytes;
  });
  return commit >= bytes;
}

}  // namespace vidmm
