#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/debug/stack_table.h"

namespace dxgk {

// The last ranges of GPU addresses that a process gave up, and how: what explains a page fault there. Owned by the
// address space; the memory's lock.
class FreedAddresses {
 public:
  enum class How : uint8_t {
    Freed,         // D3DKMTFreeGpuVirtualAddress
    PromisedIdle,  // with an allocation that was destroyed with AssumeNotInUse
  };
  struct Range {
    uint64_t va = 0;
    uint64_t bytes = 0;
    How how = How::Freed;
    uint64_t queued = 0;      // the last packet that was queued before (vidsch::Packet::sequence)
    base::StackId where = 0;  // it happened
  };

  // The oldest one is forgotten when there are too many.
  void add(const Range& range) { ranges_[added_++ % ranges_.size()] = range; }

  // The newest range that holds the address and was given up when the packet was queued already; null if there is none.
  // Whether something is mapped there by now is another question.
  const Range* find(uint64_t va, uint64_t packet) const {
    for (size_t i = added_; i > 0 && added_ - i < ranges_.size(); --i) {
      const Range& range = ranges_[(i - 1) % ranges_.size()];
      if (va - range.va < range.bytes && packet <= range.queued) return &range;
    }
    return nullptr;
  }

 private:
  std::array<Range, 64> ranges_;
  size_t added_ = 0;
};

}  // namespace dxgk
