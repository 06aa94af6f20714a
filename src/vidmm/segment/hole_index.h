#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "vidmm/segment/eviction_order.h"
#include "vidmm/segment/hole_finder.h"
#include "vidmm/segment/segment.h"

namespace vidmm {

// Where in one segment a contiguous range is cheapest to make, without a walk over the segment. Answers what
// find_hole() answers for all blocks that may be evicted: the least cost, then the fewest victims, then the lowest
// address. Owned by the occupancy, which reports changes.
//
// A hole begins in its first piece, a gap or an extent. The segment is cut into chunks, and for a request (size,
// alignment, range and priority class) a table has, for each chunk, the cheapest hole whose first piece begins there,
// as it would be if nothing were pinned, locked, in use or the claimant's own. So no hole of the chunk is cheaper. A
// search looks at chunks in the order of these bounds, each block by block and with the claim, until the next bound is
// no better than what it has found:
//
//   bounds    | 12 | 9 | 30 | 9 | 12 |    -> chunk 1: 9 is real: found;   or: 11, as a block there is pinned
//                                            -> chunk 3: 9 is real: found
//
// Changes are recorded. A table sweeps the chunks that have changed when it is asked next. A chunk is no smaller than
// the request, so that a change concerns few chunks. The first search of a kind looks at the whole segment; a table for
// a smaller request gives bounds too, which often saves that.
class HoleIndex {
 public:
  HoleIndex(const Segment& segment, const EvictionOrder& victims);
  ~HoleIndex();

  // A block was placed in or left the extent, or its eviction tier has changed.
  void changed(const Extent& extent) {
    if (!tables_.empty()) note(extent);
  }

  struct Hole {
    Extent extent;
    uint64_t cost;
    uint64_t count;  // of extents that leave
  };
  std::optional<Hole> find(const HoleRequest& request, uint32_t highest_class, const Claim& claim);
  // The same where few blocks may be evicted, each of which is given: looks only around them. A hole without victims is
  // not found.
  std::optional<Hole> find_around(const HoleRequest& request, uint32_t highest_class, const Claim& claim,
                                  const std::vector<Victim>& candidates);
  // Appends the blocks that have to be evicted for the extent, each once, in the order of their addresses.
  void blocks_in(const Extent& extent, std::vector<Block*>& out) const;

 private:
  struct Bound {
    uint64_t cost = UINT64_MAX;  // there is none
    uint64_t count = UINT64_MAX;
    friend auto operator<=>(const Bound&, const Bound&) = default;
  };
  struct Kind {
    HoleRequest request;
    uint32_t highest_class;
  };
  struct Table;
  struct Found {
    Bound bound;
    uint64_t offset = 0;
  };
  enum class Effort : uint8_t { Little, Whatever };

  void note(const Extent& extent);
  // The cheapest hole of those whose first piece begins in [begin, end). `claim`: none for a bound.
  Found sweep(const Kind& kind, uint64_t begin, uint64_t end, const Claim* claim) const;
  bool weigh(const SegmentSpace::Step& step, uint32_t highest_class, const Claim* claim, Bound& sum) const;
  Table& table_for(const Kind& kind);
  Table* smaller_table(const Kind& kind);
  void use(size_t table);
  void bring_up_to_date(Table& table);
  // False: it would take more than a little effort.
  bool search(Table& table, const Kind& kind, const Claim& claim, Effort effort, std::optional<Hole>& hole);

  static constexpr size_t kTables = 8;

  const Segment& segment_;
  const EvictionOrder& victims_;
  const int page_shift_;
  const size_t log_limit_;
  std::vector<Extent> log_;
  std::vector<std::unique_ptr<Table>> tables_;  // the last used first
};

}  // namespace vidmm
