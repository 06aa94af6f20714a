// The manager's defragmentation: blocks at high addresses go into gaps below, as long as that makes the largest gap
// larger. A move is a copy between ranges that do not overlap, so the target has to be free before.
//
//   |  a  |gap|  b  |  gap  | c |gap|        c into the first gap it fits in:
//   |  a  | c | b   |      gap      |        the gaps around it become one

#include <algorithm>

#include "vidmm/manager/manager.h"

namespace vidmm {
namespace {

constexpr uint32_t kMovesPerPass = 64;

uint64_t highest_offset(const Block& block) {
  uint64_t highest = 0;
  for (const Extent& extent : block.place().extents) highest = std::max(highest, extent.offset);
  return highest;
}

}  // namespace

void Manager::collect_movable(uint32_t segment) {
  scratch_.clear();
  for (Block* block : blocks_) {
    if (block->place().segment == segment && !block->locked() && movable(*block)) scratch_.push_back(block);
  }
  std::sort(scratch_.begin(), scratch_.end(),
            [](const Block* a, const Block* b) { return highest_offset(*a) > highest_offset(*b); });
}

Answer Manager::defragment(uint32_t segment_id, Plan& plan) {
  const Knobs& knobs = options().knobs;
  if (knobs.fail_defrag_pass) return Answer::OutOfMemory;
  const Segment& target = segment(segment_id);
  if (knobs.never_move_defrag || !options().move_paging || target.info.aperture) return Answer::Done;

  Pager::Mark before = pager_.mark(plan);
  Pager::Mark best = before;
  uint64_t largest = target.space.largest_gap();
  uint32_t moves = 0;
  collect_movable(segment_id);
  for (Block* block : scratch_) {
    if (moves == kMovesPerPass) break;
    SegmentSpace::Request request = pager_.room().request(*block, target);
    request.end = highest_offset(*block);
    if (request.end <= request.begin || !pager_.move_within(*block, request, plan)) continue;
    ++moves;
    if (target.space.largest_gap() <= largest) continue;
    largest = target.space.largest_gap();
    best = pager_.mark(plan);
  }
  pager_.rollback(best, plan);  // undoes the moves that did not help
  pager_.commit(before, plan, EvictionCause::Preparation);
  return answer(before, plan);
}

}  // namespace vidmm
