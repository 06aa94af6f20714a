#pragma once

#include <cstdint>
#include <vector>

#include "dxgk/work/dma_split.h"
#include "vidmm/manager/block.h"

namespace dxgk {

class DmaContents;
class VideoMemory;

// Which of a DMA buffer's allocations fit into the adapter's segments together, if nothing else is there: by their
// sizes alone. The memory manager decides. On one thread's stack.
class SegmentRoom final : public PartRoom {
 public:
  // Under the memory's lock.
  SegmentRoom(VideoMemory& memory, const DmaContents& contents);

  void clear() override;
  bool add(uint32_t allocation_index) override;
  bool is_null(uint32_t allocation_index) const override { return needs_[allocation_index].traits == nullptr; }

 private:
  struct Need {
    const vidmm::BlockTraits* traits = nullptr;
    uint32_t part = 0;  // the last that it was added to
  };
  struct Left {
    uint64_t capacity;
    uint64_t page_bytes;
    uint64_t bytes;
  };
  bool take(uint32_t segment, uint64_t bytes);

  std::vector<Need> needs_;
  std::vector<Left> segments_;
  uint32_t part_ = 0;
};

}  // namespace dxgk
