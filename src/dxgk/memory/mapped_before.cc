#include "dxgk/memory/mapped_before.h"

#include <algorithm>

namespace dxgk {

using vidmm::VaSpace;

MappedBefore::MappedBefore(const VaSpace& space, uint64_t base, uint64_t bytes) { keep(space, {base, base + bytes}); }

MappedBefore::MappedBefore(const VaSpace& space, std::span<const VaSpace::Update> updates) {
  std::vector<Range> ranges;
  ranges.reserve(updates.size());
  for (const VaSpace::Update& update : updates) ranges.push_back({update.va, update.va + update.bytes});
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.base < b.base; });
  for (size_t i = 0; i < ranges.size();) {
    Range range = ranges[i++];
    for (; i < ranges.size() && ranges[i].base <= range.end; ++i) range.end = std::max(range.end, ranges[i].end);
    keep(space, range);
  }
}

void MappedBefore::keep(const VaSpace& space, Range range) {
  range.first = pieces_.size();
  if (const vidmm::Reservation* reservation = space.find_reservation(range.base)) {
    range.inside = true;
    auto cursor = reservation->mappings.at(range.base);
    for (; cursor.item() && cursor.item()->va < range.end; cursor.advance()) {
      keep(static_cast<const vidmm::Mapping&>(*cursor.item()), range);
    }
  } else {
    const vidmm::Mapping* mapping = space.find(range.base);
    for (; mapping && mapping->va < range.end; mapping = space.find(mapping->end())) keep(*mapping, range);
  }
  range.count = pieces_.size() - range.first;
  ranges_.push_back(range);
}

void MappedBefore::keep(const vidmm::Mapping& mapping, const Range& range) {
  uint64_t from = std::max(mapping.va, range.base), to = std::min(mapping.end(), range.end);
  VaSpace::MapRequest piece;
  piece.base = from;
  piece.bytes = to - from;
  piece.what = mapping.what;
  piece.offset_pages = (mapping.offset + (from - mapping.va)) / vidmm::kPageBytes;
  piece.protection = mapping.protection;
  pieces_.push_back(piece);
}

void MappedBefore::put_back(VaSpace& space, vidmm::VaOpList& out) const {
  for (const Range& range : ranges_) {
    if (range.inside || range.count == 0) static_cast<void>(space.free(range.base, range.end - range.base, out));
    for (size_t i = range.first; i < range.first + range.count; ++i) {
      const VaSpace::MapRequest& piece = pieces_[i];
      // What Map obtained takes no addresses without memory, unless they are free.
      if (!range.inside && !piece.what) static_cast<void>(space.free(piece.base, piece.bytes, out));
      static_cast<void>(space.map(piece, out));
    }
  }
}

}  // namespace dxgk
