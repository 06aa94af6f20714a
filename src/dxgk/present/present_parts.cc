#include "dxgk/present/present_parts.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"

namespace dxgk {
namespace {

// One axis of a rectangle.
struct Span {
  LONG low;
  LONG high;

  // Up to 2^32 - 1: two of them multiply without loss.
  uint64_t length() const { return static_cast<uint64_t>(int64_t{high} - int64_t{low}); }
  uint64_t offset_of(LONG at) const { return static_cast<uint64_t>(int64_t{at} - int64_t{low}); }
  LONG at(uint64_t offset) const { return static_cast<LONG>(int64_t{low} + static_cast<int64_t>(offset)); }
};

Span scale(const Span& part, const Span& from, const Span& to) {
  uint64_t whole = from.length(), wide = to.length();
  uint64_t low = from.offset_of(part.low) * wide / whole;
  uint64_t product = from.offset_of(part.high) * wide;
  return {to.at(low), to.at(product / whole + (product % whole != 0))};
}

RECT clip(const RECT& part, const RECT& to) {
  return {std::max(part.left, to.left), std::max(part.top, to.top), std::min(part.right, to.right),
          std::min(part.bottom, to.bottom)};
}

}  // namespace

bool is_empty(const RECT& rectangle) { return rectangle.right <= rectangle.left || rectangle.bottom <= rectangle.top; }

RECT bounds_of(std::span<const RECT> parts) {
  RECT bounds{};
  for (const RECT& part : parts) {
    if (is_empty(part)) continue;
    if (is_empty(bounds)) bounds = part;
    bounds = {std::min(bounds.left, part.left), std::min(bounds.top, part.top), std::max(bounds.right, part.right),
              std::max(bounds.bottom, part.bottom)};
  }
  return bounds;
}

std::vector<RECT> destination_parts(const RECT& from, const RECT& to, std::span<const RECT> parts) {
  CHECK(!is_empty(from) && !is_empty(to));
  std::vector<RECT> drawn;
  drawn.reserve(parts.size());
  for (const RECT& part : parts) {
    RECT inside = clip(part, from);
    if (is_empty(inside)) continue;
    Span across = scale({inside.left, inside.right}, {from.left, from.right}, {to.left, to.right});
    Span down = scale({inside.top, inside.bottom}, {from.top, from.bottom}, {to.top, to.bottom});
    drawn.push_back({across.low, down.low, across.high, down.high});
  }
  return drawn;
}

}  // namespace dxgk
