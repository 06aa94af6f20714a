#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "vidmm/segment/segment_space.h"

namespace vidmm {

// A live extent of a segment, as the search for a hole sees it.
struct Occupant {
  Extent extent;
  uint64_t cost;  // of sending it away
  bool movable;   // false: it stays where it is
};

// The range to be opened, and what has to leave for it: occupants [first, first + count) of those given.
struct HolePlan {
  Extent extent;
  uint64_t cost;
  size_t first;
  size_t count;
};

struct HoleRequest {
  uint64_t bytes;             // whole pages
  uint64_t alignment = 4096;  // of the hole's offset: a page or a multiple of it
  uint64_t begin = 0;         // wholly inside [begin, end)
  uint64_t end = UINT64_MAX;
};

// Finds the cheapest hole: the sum of the costs of what leaves is least, then their number, then the address. For a
// request that must be contiguous, victims are chosen by address: those next to gaps and to each other. Going by age
// would evict all blocks of a segment for one framebuffer.
//
//   |gap|  a 5  | b 2 |gap| c 1 |   stays   |gap| d 9 |       `a` and the gap before it, or `b`, the gap and `c`?
//    \___ 5 ___/ \____ 3 _____/                                 A range may not reach over what stays.
//
// Occupants and gaps are each in address order and do not overlap. What is in neither (a carved range) stays. The sum
// of all costs fits 64 bits. Looks at each occupant and gap a constant number of times.
std::optional<HolePlan> find_hole(const HoleRequest& request, std::span<const Occupant> occupants,
                                  std::span<const Extent> gaps);

}  // namespace vidmm
