#include "vidmm/segment/segment.h"

#include <algorithm>

#include "base/check.h"

namespace vidmm {

Segment::Segment(const SegmentInfo& about)
    : info(about),
      page_bytes(about.use_64k_pages ? 65536 : 4096),
      space(about.size, static_cast<uint32_t>(page_bytes)) {
  for (const Extent& range : info.bad) CHECK_MSG(space.carve(range.offset, range.bytes), "bad ranges are pages apart");
  capacity = std::min(space.free_bytes(), info.commit_limit);
}

}  // namespace vidmm
