#include "vidmm/segment/hole_finder.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace vidmm {
namespace {

// A gap or an occupant that may leave.
struct Piece {
  uint64_t begin;
  uint64_t end;
  uint64_t cost;
  size_t occupant;  // its number; of a gap, that of the next occupant
  bool leaves;
};

// Pieces next to each other without anything that stays in between.
using Run = std::vector<Piece>;

class Search {
 public:
  explicit Search(const HoleRequest& request) : request_(request) {}

  // A window slides over the run, its left edge from piece to piece. A hole that begins elsewhere in its first piece
  // than at the first aligned offset costs no less.
  void visit(const Run& run) {
    uint64_t limit = std::min(run.back().end, request_.end);
    Window window = {0, 0, 0, 0};
    for (; window.left < run.size(); window.drop(run)) {
      uint64_t offset = align_up(std::max(run[window.left].begin, request_.begin));
      if (offset >= limit || request_.bytes > limit - offset) return;
      if (offset >= run[window.left].end) continue;
      while (window.right == 0 || run[window.right - 1].end < offset + request_.bytes) window.add(run);
      consider({{offset, request_.bytes}, window.cost, run[window.left].occupant, window.count});
    }
  }

  std::optional<HolePlan> best() const { return best_; }

 private:
  // Pieces [left, right) of a run, and the sum of their occupants' costs.
  struct Window {
    size_t left;
    size_t right;
    uint64_t cost;
    size_t count;

    void add(const Run& run) {
      cost += run[right].cost;
      count += run[right].leaves;
      ++right;
    }
    void drop(const Run& run) {
      if (left == right) add(run);
      cost -= run[left].cost;
      count -= run[left].leaves;
      ++left;
    }
  };

  // UINT64_MAX, which is in no segment, if there is no such offset.
  uint64_t align_up(uint64_t offset) const {
    uint64_t beyond = offset % request_.alignment;
    if (beyond == 0) return offset;
    uint64_t missing = request_.alignment - beyond;
    return missing > UINT64_MAX - offset ? UINT64_MAX : offset + missing;
  }

  void consider(const HolePlan& plan) {
    if (best_ && plan.cost > best_->cost) return;
    if (best_ && plan.cost == best_->cost && plan.count >= best_->count) return;
    best_ = plan;
  }

  const HoleRequest& request_;
  std::optional<HolePlan> best_;
};

}  // namespace

std::optional<HolePlan> find_hole(const HoleRequest& request, std::span<const Occupant> occupants,
                                  std::span<const Extent> gaps) {
  CHECK(request.bytes != 0 && request.alignment != 0);
  Search search(request);
  Run run;
  auto end_run = [&] {
    if (!run.empty()) search.visit(run);
    run.clear();
  };
  size_t occupant = 0;
  size_t gap = 0;
  while (occupant < occupants.size() || gap < gaps.size()) {
    bool is_gap =
        occupant == occupants.size() || (gap < gaps.size() && gaps[gap].offset < occupants[occupant].extent.offset);
    const Extent& extent = is_gap ? gaps[gap] : occupants[occupant].extent;
    if (!run.empty() && run.back().end != extent.offset) end_run();
    if (is_gap) {
      run.push_back({extent.offset, extent.end(), 0, occupant, false});
      ++gap;
      continue;
    }
    if (occupants[occupant].movable) {
      run.push_back({extent.offset, extent.end(), occupants[occupant].cost, occupant, true});
    } else {
      end_run();
    }
    ++occupant;
  }
  end_run();
  return search.best();
}

}  // namespace vidmm
