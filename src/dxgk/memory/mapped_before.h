#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vidmm/address/va_space.h"

namespace dxgk {

// What was mapped in ranges of addresses. It is put back when the page tables cannot follow a change because there was
// no memory for a table. The cost depends on what lies in the ranges, not between them. Lives for one call, under the
// memory's lock.
class MappedBefore {
 public:
  MappedBefore(const vidmm::VaSpace& space, uint64_t base, uint64_t bytes);
  // The ranges of a tile update.
  MappedBefore(const vidmm::VaSpace& space, std::span<const vidmm::VaSpace::Update> updates);

  void put_back(vidmm::VaSpace& space, vidmm::VaOpList& out) const;
  size_t size() const { return pieces_.size(); }

 private:
  struct Range {
    uint64_t base;
    uint64_t end;
    bool inside = false;  // a reservation
    size_t first = 0;     // of its pieces
    size_t count = 0;
  };
  void keep(const vidmm::VaSpace& space, Range range);
  void keep(const vidmm::Mapping& mapping, const Range& range);

  std::vector<Range> ranges_;
  std::vector<vidmm::VaSpace::MapRequest> pieces_;
};

}  // namespace dxgk
